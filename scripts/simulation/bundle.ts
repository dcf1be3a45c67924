import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from '../root.ts';

const machine = (name: string) => join(root, 'test/simulation/machine', `${name}.ts`);
const PROCESSES = ['processes', 'run', 'self'];

/** What a module of the sources imports, as a path or a module of Node's → what it gets instead. */
const STAND_INS: ReadonlyMap<string, string> = new Map([
  ['node:fs', machine('fs')],
  ['node:fs/promises', machine('fs-promises')],
  [join(root, 'src/platform/lock.ts'), machine('lock')],
  [join(root, 'src/platform/files/folder.ts'), machine('folder')],
  ...PROCESSES.map((name) => [join(root, `src/platform/process/${name}.ts`), machine('processes')] as const),
]);

/** A fault put into the sources on purpose. */
interface Plant {
  /** Relative to the root of the repository. */
  readonly module: string;
  /** Must stand there once. */
  readonly text: string;
  readonly instead: string;
}

/**
 * Makes one program of the loop, the worlds it is played in, and the stand-ins for the machine.
 * @param plant to see whether the simulation finds it
 */
export async function bundleSimulation(file: string, plant: Plant | null = null): Promise<void> {
  const build = await rolldown({
    cwd: root,
    input: join(root, 'test/simulation/main.ts'),
    platform: 'node',
    resolve: { mainFields: ['module', 'main'] },
    external: ['fs-native-extensions'],
    plugins: [
      {
        name: 'simulated-machine',
        resolveId(source, importer) {
          if (!importer?.startsWith(join(root, 'src'))) return null;
          return STAND_INS.get(source.startsWith('.') ? resolve(dirname(importer), source) : source) ?? null;
        },
        transform(code, id) {
          return plant !== null && id === join(root, plant.module) ? planted(code, plant) : null;
        },
      },
    ],
    onLog(level, log) {
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
    },
  });
  await build.write({ file, format: 'esm', codeSplitting: false, comments: false });
  await build.close();
}

function planted(code: string, { module, text, instead }: Plant): string {
  const parts = code.split(text);
  if (parts.length !== 2) throw new Error(`${module} has the text ${parts.length - 1} times: ${text}`);
  return parts.join(instead);
}
