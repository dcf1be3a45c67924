import { UnavailableError } from '../../../contracts/errors.ts';
import type { Isolation, IsolationInput, Probe } from '../port.ts';
import { tryClaims } from '../view/canary.ts';
import { clientEnvironment } from './client.ts';
import { chooseEngine, describeEngine } from './detect.ts';
import type { Engine } from './engine.ts';
import { imageTrouble } from './image.ts';
import { mendEngine } from './mend.ts';
import { openSession, type Session } from './session.ts';

/** Agents, checks and hooks in containers of Podman or Docker: one for each command, without a network. */
export function openContainer(input: IsolationInput): Isolation {
  let looked: ReturnType<typeof chooseEngine> | null = null;
  return containersOf(input, () => {
    looked ??= clientEnvironment(input).then((client) => chooseEngine(input.container.engine, client));
    return looked;
  });
}

function containersOf(input: IsolationInput, findEngine: () => ReturnType<typeof chooseEngine>): Isolation {
  let session: Session | null = null;
  return {
    name: 'container',
    coversGitDir: true,
    reach: 'address',
    probe: async () => {
      const engine = await findEngine();
      return 'name' in engine ? probe(engine, input) : unavailable(engine.join('; '), mendEngine(engine));
    },
    prepare: async (run) => {
      const engine = await findEngine();
      if (!('name' in engine))
        throw new UnavailableError({ what: 'no container engine works', why: engine.join('; ') });
      session = await openSession(engine, input, run, await clientEnvironment(input));
    },
    wrap: async (command) => {
      if (session === null) throw new Error('wrap before prepare');
      return session.wrap(command);
    },
    dispose: async () => {
      await session?.close();
      session = null;
    },
  };
}

async function probe(engine: Engine, input: IsolationInput): Promise<Probe> {
  const { image } = input.container;
  const trouble = image === null ? null : await imageTrouble(engine, image, await clientEnvironment(input));
  if (trouble !== null) return unavailable(trouble.why, trouble.mend);
  const claims = await tryClaims(
    (changed) => containersOf(changed, async () => engine),
    input,
    image === null ? process.execPath : 'node',
  );
  const detail = `${describeEngine(engine)}, ${image === null ? "this machine's programs" : `image ${image}`}`;
  const unlimited = engine.limits.memory ? [] : (['memory'] as const);
  return { available: claims.every(({ held }) => held), detail, mend: [], claims, unlimited };
}

function unavailable(detail: string, mend: readonly string[] = []): Probe {
  return { available: false, detail, mend, claims: [] };
}
