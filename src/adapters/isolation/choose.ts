import { type IsolationSettings, UnavailableError } from '../../contracts/index.ts';
import type { Backend, Isolation, IsolationInput, Probe } from './port.ts';
import { fixSurroundings, installWays, type System, thisSystem } from './system.ts';

/** The isolation that a run takes, and why nothing better. */
export interface Chosen {
  readonly isolation: Isolation;
  readonly probe: Probe;
  /** Better backends that were not taken, best first: `container: podman is not installed`. */
  readonly instead: readonly string[];
  /** The one notice when nothing isolates though no setting asked for that; null otherwise. */
  readonly loud: string | null;
  /** One line when nothing isolates because a person asked for that; null otherwise. */
  readonly quiet: string | null;
  /** How to get a better backend, best way first. */
  readonly fix: readonly string[];
}

interface ChooseOptions {
  /** The settings come from the command line: messages name `--sandbox` and `--no-sandbox` rather than the settings. */
  readonly sandboxFlag?: boolean;
  readonly backends?: Readonly<Record<Backend, OpenBackend>>;
  readonly system?: System;
}

const AUTO: Readonly<Partial<Record<NodeJS.Platform, readonly Backend[]>>> = {
  linux: ['sbx', 'bwrap'],
  darwin: ['sbx', 'srt'],
};

const OWN_RIGHTS = "agents and checks run with your own permissions; only ralph's own rules protect your files";

interface Tried {
  readonly name: Backend;
  readonly probe: Probe;
}

/**
 * Chooses the isolation of a run: with `auto` the best that is proven here, else none; a named backend or a required
 * isolation is taken or refused.
 * @throws UnavailableError with everything that was tried and how to get it on this system
 */
export async function chooseIsolation(
  settings: IsolationSettings,
  input: IsolationInput,
  { sandboxFlag = false, backends = BACKENDS, system }: ChooseOptions = {},
): Promise<Chosen> {
  if (settings.backend === 'none' && !settings.required) {
    const said = sandboxFlag ? '--no-sandbox' : 'isolation.backend: none';
    return { ...(await unisolated()), quiet: `no isolation (${said}): ${OWN_RIGHTS}` };
  }
  const here = system ?? (await thisSystem(input.env));
  const tried: Tried[] = [];
  for (const name of candidates(settings, here)) {
    const isolation = await backends[name](input);
    const probe = await isolation.probe();
    if (probe.available)
      return { isolation, probe, instead: notTaken(settings, name, tried), loud: null, quiet: null, fix: [] };
    await isolation.dispose();
    tried.push({ name, probe });
  }
  const instead = tried.map(reasonOf);
  const fix = [...new Set(tried.toReversed().flatMap((one) => waysOf(one, here)))];
  if (settings.required || settings.backend !== 'auto') throw refusal(settings, sandboxFlag, instead, fix);
  return { ...(await unisolated()), instead, loud: `NO ISOLATION: ${OWN_RIGHTS}`, fix };
}

function candidates({ backend }: IsolationSettings, { platform }: System): readonly Backend[] {
  return backend === 'auto' || backend === 'none' ? (AUTO[platform] ?? []) : [backend];
}

async function unisolated(): Promise<Chosen> {
  const isolation = noIsolation();
  return { isolation, probe: await isolation.probe(), instead: [], loud: null, quiet: null, fix: [] };
}

/** A user who names a backend wants that one: no other counts as better. */
function notTaken({ backend }: IsolationSettings, taken: Backend, tried: readonly Tried[]): readonly string[] {
  if (backend === taken) return [];
  const reasons = tried.map(reasonOf);
  return taken === 'sbx' ? reasons : [...reasons, 'container: used only on request (isolation.backend)'];
}

function reasonOf({ name, probe }: Tried): string {
  const broken = probe.claims.filter(({ held }) => !held).map(({ claim, detail }) => `it fails: ${claim} (${detail})`);
  const itself = `${name} is `;
  const detail = probe.detail.startsWith(itself) ? probe.detail.slice(itself.length) : probe.detail;
  return `${name}: ${broken.length > 0 ? broken.join('; ') : detail}`;
}

/**
 * How to get or fix a backend. A probe's own advice comes from what it saw; without any, a program is missing or cannot
 * work. Pure.
 */
export function waysOf({ name, probe }: Tried, system: System): readonly string[] {
  if (probe.fix.length > 0 || probe.claims.length > 0) return probe.fix;
  return probe.detail.includes('not installed') ? installWays(name, system) : fixSurroundings(system);
}

function refusal(
  { backend, required }: IsolationSettings,
  flag: boolean,
  reasons: readonly string[],
  fix: readonly string[],
): UnavailableError {
  const asked = flag ? '--sandbox' : required ? 'isolation.required' : `isolation.backend: ${backend}`;
  const what =
    backend === 'auto' || backend === 'none' ? 'nothing here can isolate the run' : `${backend} cannot isolate the run`;
  return new UnavailableError({
    what,
    where: reasons.length > 0 ? reasons.join('; ') : `no backend supports ${process.platform}`,
    why: `${asked} does not allow running without isolation`,
    fix: [...fix, '`ralph sandbox status` tries every backend; `ralph run --no-sandbox` runs without isolation'],
  });
}

export type OpenBackend = (input: IsolationInput) => Promise<Isolation>;

export const BACKENDS: Readonly<Record<Backend, OpenBackend>> = {
  sbx: async (input) => (await import('./sbx/open.ts')).openSbx(input),
  container: async (input) => (await import('./container/open.ts')).openContainer(input),
  bwrap: async (input) => (await import('./bwrap/open.ts')).openBwrap(input),
  srt: async (input) => (await import('./srt/open.ts')).openSrt(input),
};

/** No isolation: agents, checks and hooks run as the person who started the loop. */
export function noIsolation(): Isolation {
  return {
    name: 'none',
    coversGitDir: false,
    lent: [],
    reach: 'address',
    probe: async () => ({ available: true, detail: `no isolation: ${OWN_RIGHTS}`, fix: [], claims: [] }),
    prepare: async () => {},
    wrap: async ({ file, args, cwd, env }) => ({ file, args, cwd, env, end: async () => {} }),
    dispose: async () => {},
  };
}
