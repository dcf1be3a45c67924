import { dirname, join } from 'node:path';
import { buildImage } from '../../adapters/isolation/container/image.ts';
import { loginStore } from '../../adapters/isolation/home/homes.ts';
import type { Backend } from '../../adapters/isolation/port.ts';
import { createSbx } from '../../adapters/isolation/sbx/manage.ts';
import { ownPackage } from '../../adapters/isolation/view/own-package.ts';
import { UnavailableError } from '../../contracts/errors.ts';
import { findProgram } from '../../platform/process/find-program.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags, textOf } from '../shared/flags.ts';
import { printLines } from '../shared/print.ts';
import { examineBackends } from './examine.ts';
import { backendNamed, backendOf, type Ground, openGround } from './ground.ts';

/** Makes what a backend needs, and returns what is to be said at the end. */
type Create = (ground: Ground, flags: RawFlags, io: Io) => Promise<readonly string[]>;

/** `ralph sandbox create [backend]`: makes what a backend needs before its first run, and says what is left to do. */
export async function createSandbox([name]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const ground = await openGround(flags, io);
  const backend = name === undefined ? backendOf(ground.config) : backendNamed(name);
  printLines(io, await HOW[backend](ground, flags, io));
  return 0;
}

const HOW: Readonly<Record<Backend, Create>> = {
  sbx: createVirtualMachine,
  container: createImage,
  bwrap: (ground, _flags, io) => proveReady('bwrap', ground, io),
  srt: (ground, _flags, io) => proveReady('srt', ground, io),
};

async function createVirtualMachine(ground: Ground, flags: RawFlags, io: Io): Promise<readonly string[]> {
  const name = await createSbx(ground.policy.input, linePrinter(io), { denyAll: isOn(flags, 'yes') });
  return [
    `${name} is made: \`ralph run\` takes it from now on`,
    'log in once: sbx secret set anthropic; its proxy adds the key outside of the sandbox',
  ];
}

/** Without `--file` and without an image in the settings, containers use the programs of this machine. */
async function createImage(ground: Ground, flags: RawFlags, io: Io): Promise<readonly string[]> {
  const { engine, image } = ground.config.isolation.container;
  const given = textOf(flags, 'file');
  if (given === undefined && image === null) {
    const ready = await proveReady('container', ground, io);
    return [
      'no image is needed: containers use the programs of this machine, read-only',
      'for programs of their own: ralph sandbox create container --file Containerfile',
      ...ready,
    ];
  }
  const file = given === undefined ? join(await ownPackage(), 'templates', 'container', 'Containerfile') : given;
  const tag = image ?? 'ralph-agent';
  await buildImage({ engine: engine ?? engineHere(io), tag, file, context: dirname(file) }, linePrinter(io), io.env);
  const setting = `"isolation": { "backend": "container", "container": { "image": "${tag}" } }`;
  return [
    `${tag} is built`,
    ...(image === null ? [`let runs use it, in ralph.config.json: ${setting}`] : []),
    ...(await proveReady('container', ground, io)),
  ];
}

function engineHere({ env }: Io): 'podman' | 'docker' {
  const found = (['podman', 'docker'] as const).find((name) => findProgram(name, env['PATH']) !== null);
  if (found) return found;
  throw new UnavailableError({ what: 'there is neither podman nor docker here', mend: ['ralph sandbox status'] });
}

/** Nothing has to be made, neither for a machine nor for a project: what is left to do is to log in. */
async function proveReady(backend: Backend, ground: Ground, io: Io): Promise<readonly string[]> {
  const [report] = await examineBackends(ground, io, backend);
  if (!report?.available) {
    throw new UnavailableError({
      what: `${backend} cannot be used here`,
      ...(report ? { why: report.detail, mend: report.mend } : {}),
    });
  }
  return [
    `${backend} is ready: ${oneLine(report.detail)}`,
    `logins that are made inside stay in ${loginStore(io.env)}`,
    `log in once: ralph sandbox shell --backend ${backend}, then ${ground.config.agent[0] ?? 'the agent'}`,
  ];
}

function linePrinter(io: Io): (line: string) => void {
  return (line) => printLines(io, [`  ${oneLine(line)}`]);
}
