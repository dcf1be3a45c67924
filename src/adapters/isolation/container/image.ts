import { UnavailableError } from '../../../contracts/index.ts';
import { runCommand } from '../../../platform/index.ts';
import type { Env } from '../port.ts';
import { chooseEngine } from './detect.ts';
import { askEngine, type Engine, type EngineName, ulimitFlags } from './engine.ts';
import { missingPrograms } from './facts.ts';

/** Includes downloading packages. */
const BUILD_TIMEOUT_MS = 30 * 60_000;

/** Run in an image: prints the programs a run needs that it has, one per line. */
const INVENTORY = 'command -v git; command -v node && node --version; true';

/** What an image lacks for a run, and how to fix that; null when a run can use it. */
export async function imageTrouble(
  engine: Engine,
  image: string,
  env: Env,
): Promise<{ readonly why: string; readonly fix: readonly string[] } | null> {
  const known = await askEngine(engine, ['image', 'inspect', '--format', '{{.Id}}', image], { env });
  const build = '`ralph sandbox create container` builds an image from the supplied Containerfile';
  if (known.exitCode !== 0) {
    return {
      why: `${engine.name} does not have the image ${image}`,
      fix: [build, `${engine.name} pull ${image}`],
    };
  }
  const started = ['run', '--rm', '--pull', 'never', '--network', 'none', '--cap-drop', 'ALL', ...engine.run];
  const args = [...started, ...(await ulimitFlags(engine.name)), '--entrypoint', 'sh', image, '-c', INVENTORY];
  const { exitCode, stdout, complaint } = await askEngine(engine, args, { env });
  if (exitCode !== 0) return { why: `nothing runs in the image ${image}: ${complaint}`, fix: [build] };
  const missing = missingPrograms(stdout);
  return missing.length === 0 ? null : { why: `the image ${image} has no ${missing.join(' and no ')}`, fix: [build] };
}

interface ImageBuild {
  readonly engine: EngineName;
  /** Name of the image: `ralph-agent`. */
  readonly tag: string;
  /** The Containerfile, and the folder that it copies from. */
  readonly file: string;
  readonly context: string;
}

/**
 * Builds an image with the engine's own `build`, which downloads what the Containerfile names.
 *
 * @param onLine receives every line of its output; must not throw
 * @throws UnavailableError when the engine cannot be used, or the build fails
 */
export async function buildImage(
  { engine: name, tag, file, context }: ImageBuild,
  onLine: (line: string) => void,
  env: Env = process.env,
): Promise<void> {
  const engine = await chooseEngine(name, env);
  if (!('name' in engine))
    throw new UnavailableError({ what: `${name} cannot build images here`, why: engine.join('; ') });
  const ulimits = await ulimitFlags(name);
  const args = [...engine.global, 'build', ...ulimits, '--tag', tag, '--file', file, context];
  const lines = lineReader(onLine);
  const { exitCode, timedOut } = await runCommand(name, args, {
    cwd: context,
    env,
    timeoutMs: BUILD_TIMEOUT_MS,
    maxBytes: 64 * 1024,
    onOutput: lines.push,
  });
  lines.end();
  if (exitCode === 0 && !timedOut) return;
  throw new UnavailableError({
    what: `the image ${tag} could not be built`,
    where: `${name} ${args.join(' ')}`,
    why: timedOut ? 'it took longer than half an hour' : `${name} ended with ${exitCode}; its output says why`,
  });
}

function lineReader(onLine: (line: string) => void) {
  const decoder = new TextDecoder();
  let rest = '';
  return {
    push: (chunk: Uint8Array) => {
      const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    },
    end: () => {
      if (rest !== '') onLine(rest);
    },
  };
}
