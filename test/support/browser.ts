import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Where Debian puts it, and its kin. */
const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A browser of one test, and what happened in it that nobody may overlook. */
export interface TestBrowser {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings of the console, exceptions, dialogs; violations of the content security policy are among them. */
  readonly complaints: readonly string[];
  /** Requests to other places than the origin of the first address that was opened. */
  readonly strangers: readonly string[];
  /** Ends it and removes what it wrote. */
  close(): Promise<void>;
}

/** Starts a real Chromium with a profile of its own; call it where `needs('chromium')` found nothing missing. */
export async function openBrowser(options: BrowserContextOptions = {}): Promise<TestBrowser> {
  const executablePath = PROGRAMS.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error('there is no Chromium');
  const profile = await mkdtemp(join(tmpdir(), 'ralph-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    // As root its sandbox refuses to start; what it opens are pages of ours.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  // The default of 30 s is too short for a slow machine.
  context.setDefaultTimeout(300_000);
  const page = context.pages()[0] ?? (await context.newPage());
  const complaints: string[] = [];
  const strangers: string[] = [];
  let origin: string | null = null;
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol === 'data:') return;
    origin ??= url.origin;
    if (url.origin !== origin) strangers.push(request.url());
  });
  return {
    page,
    context,
    complaints,
    strangers,
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
