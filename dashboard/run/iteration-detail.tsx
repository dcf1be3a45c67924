import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { rescueName } from '../../src/rules/text/index.ts';
import type { IterationView } from '../../src/rules/view/index.ts';
import { CommitDiff } from '../diff/commit-diff.tsx';
import { Icon, IconButton } from '../parts/icon.tsx';
import { ModeLabel, ResultPill, share } from '../parts/pills.tsx';
import { Empty, Facts } from '../parts/problem.tsx';
import { runHref } from '../route.ts';
import { announce } from '../state/page.ts';
import type { ShownRun } from '../state/run.ts';
import { dollars, elapsed, moment, said, tokens } from '../text.ts';
import { LongText } from '../transcript/long-text.tsx';
import { Transcript } from '../transcript/transcript.tsx';
import { CheckTables } from './check-tables.tsx';

export function IterationDetail({ shown, number }: { readonly shown: ShownRun; readonly number: number }) {
  const { view, project } = shown;
  const one = view.iterations.find((iteration) => iteration.iteration === number);
  const back = (
    <a class="button quiet back" href={runHref(project.id, view.run)}>
      <Icon name="back" /> All iterations
    </a>
  );
  if (one === undefined) {
    return (
      <article class="detail stack-4">
        {back}
        <Empty title={`The log has no iteration ${number}.`} />
      </article>
    );
  }
  return (
    <article class="detail stack-4" aria-label={`Iteration ${number}`}>
      <header class="detail-head stack-1">
        {back}
        <h2 class="clamped" title={said(one.title)}>
          <span class="number dim">#{one.iteration}</span> {said(one.title)}
        </h2>
        <p class="meta">
          <span class="mono dim">{said(one.story)}</span>
          <ModeLabel mode={one.mode} />
          <span class="dim">attempt {one.attempt}</span>
          {one.verdict !== null && <ResultPill {...one} verdict={one.verdict} />}
        </p>
      </header>
      {one.reason !== '' && (
        <div class="reason">
          <LongText text={one.reason} lines={12} />
        </div>
      )}
      <Figures one={one} />
      {one.rescue !== null && (
        <Part title="Rolled-back work">
          <p class="dim">It is kept as a rescue.</p>
          <CopyLine text={`ralph rescue show ${rescueName(one.rescue)}`} />
          <CopyLine text={`ralph rescue restore ${rescueName(one.rescue)}`} />
        </Part>
      )}
      <CheckTables project={project.id} view={view} iteration={number} />
      {one.commit !== null && (
        <Part title="Commit">
          <CommitDiff
            project={project.id}
            run={view.run}
            commit={one.commit}
            story={{ id: one.story, title: one.title }}
          />
        </Part>
      )}
      <Part title="Transcript">
        <Transcript project={project.id} run={view.run} iteration={number} view={view} />
      </Part>
    </article>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="part stack-2">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function testsText(tests: IterationView['tests']): string | null {
  return tests === null ? null : `${tests.passed} passed, ${tests.failed} failed`;
}

function Figures({ one }: { readonly one: IterationView }) {
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ['started', moment(one.startedAt)],
    ['agent', [one.agent, one.model].filter((part) => part !== null).join(' · ')],
    ['cost', dollars(one.costUsd)],
    ['turns', one.turns === null ? null : String(one.turns)],
    ['tokens in', tokens(one.usage.inputTokens)],
    ['tokens out', tokens(one.usage.outputTokens)],
    ['cache read', tokens(one.usage.cacheReadTokens)],
    ['cache write', tokens(one.usage.cacheWriteTokens)],
    ['context, peak', one.contextPercent === null ? null : `${Math.round(one.contextPercent)} %`],
    ['claim', one.claim],
    ['tests in checks', testsText(one.tests)],
    ['tests, per the agent', testsText(one.testsSaid)],
  ];
  return (
    <div class="panel stack-3">
      <Phases one={one} />
      <Facts facts={facts} />
    </div>
  );
}

/** How its time was spent. */
function Phases({ one }: { readonly one: IterationView }) {
  if (one.durationMs === null) return null;
  const rest = Math.max(0, one.durationMs - one.agentMs - one.checkMs);
  const parts = [
    { name: 'agent', ms: one.agentMs, look: 'agent' },
    { name: 'checks', ms: one.checkMs, look: 'checks' },
    { name: 'loop', ms: rest, look: 'rest' },
  ];
  return (
    <div class="stack-2">
      <span class="track thick" aria-hidden="true">
        {parts.map(({ name, ms, look }) => (
          <span key={name} class={`fill ${look}`} style={{ width: share(ms, one.durationMs ?? 1) }} />
        ))}
      </span>
      <p class="legend number">
        <span>
          <strong>{elapsed(one.durationMs)}</strong>
        </span>
        {parts.map(({ name, ms, look }) => (
          <span key={name}>
            <span class={`swatch ${look}`} aria-hidden="true" />
            {name} {elapsed(ms)}
          </span>
        ))}
      </p>
    </div>
  );
}

const SHOWN_MS = 1500;

/** A command for a terminal, with a button that copies it. */
function CopyLine({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(said(text));
    announce('Copied');
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <p class="copy-line">
      <code>{said(text)}</code>
      {/* Browsers allow clipboard access on loopback and https only. */}
      {isSecureContext && <IconButton icon={copied ? 'check' : 'copy'} label="Copy" onClick={copy} />}
    </p>
  );
}
