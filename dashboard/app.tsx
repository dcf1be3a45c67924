import { useEffect, useRef } from 'preact/hooks';
import { controlToken, Refused, shutOut } from './api.ts';
import { AskDialog, HelpDialog, helpOpen } from './controls/dialogs.tsx';
import { OverviewPage } from './overview/overview-page.tsx';
import { Icon, IconButton } from './parts/icon.tsx';
import { Empty, Problem } from './parts/problem.tsx';
import { route } from './route.ts';
import { RunPage } from './run/run-page.tsx';
import { useKeys } from './state/keys.ts';
import { announcement } from './state/page.ts';
import { shownRun } from './state/run.ts';
import { connection } from './state/stream.ts';
import { shade, toggleTheme } from './state/theme.ts';
import { said } from './text.ts';

const goToOverview = () => {
  location.hash = '#/';
};

const openHelp = () => {
  helpOpen.value = true;
};

export function App() {
  const main = useRef<HTMLElement>(null);
  useKeys([
    { keys: '?', text: 'show these keys', press: openHelp },
    { keys: 't', text: 'switch theme', press: toggleTheme },
    { keys: 'g o', text: 'go to the overview', press: goToOverview },
    { keys: '/', text: 'filter', press: focusFilter },
  ]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <TopBar />
      {shutOut.value && (
        <div class="shut-out">
          <Problem problem={SHUT_OUT} />
        </div>
      )}
      <main ref={main} tabIndex={-1}>
        <Page />
      </main>
      <div class="hidden" role="status" aria-live="polite">
        {announcement.value}
      </div>
      <AskDialog />
      <HelpDialog />
    </>
  );
}

const SHUT_OUT = new Refused(401, 'This page is signed out: the token of the dashboard was renewed.', [
  'Open the address that `ralph dashboard` prints.',
]);

function Page() {
  const place = route.value;
  const page = place.page;
  useEffect(() => {
    if (page === 'unknown') document.title = 'ralph';
  }, [page]);
  if (place.page === 'overview') return <OverviewPage />;
  if (place.page === 'run') {
    return <RunPage key={`${place.project}/${place.run}`} place={place} />;
  }
  return (
    <Empty title="Page not found.">
      <a href="#/">All runs</a>
    </Empty>
  );
}

function TopBar() {
  const place = route.value;
  const name = place.page === 'run' ? (shownRun.value?.project.name ?? place.project) : null;
  return (
    <header class="top-bar">
      <a class="brand" href="#/" aria-label="ralph: all runs">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="9" />
          <path d="M22.5 12.2A8 8 0 1 0 24 17M24.2 7v6h-6" />
        </svg>
        <span>ralph</span>
      </a>
      {place.page === 'run' && (
        <nav class="crumbs" aria-label="Breadcrumb">
          <Icon name="chevron" />
          <a class="cut" href="#/">
            {said(name ?? '')}
          </a>
          <Icon name="chevron" />
          <span class="mono cut" aria-current="page">
            {said(place.run)}
          </span>
        </nav>
      )}
      <div class="top-tools">
        <ConnectionMark />
        {controlToken() === null && (
          <span class="pill plain" title="Open the address that `ralph dashboard` prints to get control.">
            <Icon name="lock" />
            <span>read only</span>
          </span>
        )}
        <IconButton
          icon={shade.value === 'dark' ? 'moon' : 'sun'}
          label={`Switch theme (now ${shade.value})`}
          onClick={toggleTheme}
        />
        <IconButton icon="keyboard" label="Keys" onClick={openHelp} />
      </div>
    </header>
  );
}

const CONNECTION_TEXT = {
  connecting: 'connecting…',
  live: 'live',
  reconnecting: 'reconnecting…',
  'shut-out': 'signed out',
} as const;

function ConnectionMark() {
  const state = connection.value;
  return (
    <span class={`connection ${state}`} role="status">
      <span class="dot" aria-hidden="true" />
      <span class="connection-text">{CONNECTION_TEXT[state]}</span>
    </span>
  );
}

function focusFilter(): void {
  document.querySelector<HTMLInputElement>('input[type="search"]')?.focus();
}
