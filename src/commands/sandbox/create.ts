import { dirname, join } from 'node:path';
import { type Backend, loginStore, removeLogins } from '../../adapters/isolation/index.ts';
import { UnavailableError, UsageError } from '../../contracts/index.ts';
import { findProgram, packageFolder } from '../../platform/index.ts';
import { oneLine } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { isOn, type RawFlags, textOf } from '../shared/flags.ts';
import { printLines } from '../shared/print.ts';
import { examineBackends } from './examine.ts';
import { backendNamed, backendOf, type Ground, openGround } from './ground.ts';

/** Creates what a backend needs, and returns the closing lines. */
type Create = (ground: Ground, flags: RawFlags, io: Io) => Promise<readonly string[]>;

/** `ralph sandbox create [backend]`: creates what a backend needs before its first run, and says what is left to do. */
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
  const { createSbx } = await import('../../adapters/isolation/sbx/manage.ts');
  const name = await createSbx(ground.policy.input, linePrinter(io), { denyAll: isOn(flags, 'yes') });
  return [
    `${name} is created: \`ralph run\` uses it from now on`,
    'log in once: sbx secret set anthropic; its proxy adds the key outside of the sandbox',
  ];
}

/** Without `--file` and without an image in the settings, containers use this machine's programs. */
async function createImage(ground: Ground, flags: RawFlags, io: Io): Promise<readonly string[]> {
  const { engine, image } = ground.config.isolation.container;
  const given = textOf(flags, 'file');
  if (given === undefined && image === null) {
    const ready = await proveReady('container', ground, io);
    return [
      'no image is needed: containers use the programs of this machine, read-only',
      'for other programs: ralph sandbox create container --file Containerfile',
      ...ready,
    ];
  }
  const file = given === undefined ? join(await packageFolder(), 'templates', 'container', 'Containerfile') : given;
  const tag = image ?? 'ralph-agent';
  const { buildImage } = await import('../../adapters/isolation/container/image.ts');
  await buildImage({ engine: engine ?? engineHere(io), tag, file, context: dirname(file) }, linePrinter(io), io.env);
  const setting = `"isolation": { "backend": "container", "container": { "image": "${tag}" } }`;
  return [
    `${tag} is built`,
    ...(image === null ? [`to use it in runs, set in ralph.config.json: ${setting}`] : []),
    ...(await proveReady('container', ground, io)),
  ];
}

function engineHere({ env }: Io): 'podman' | 'docker' {
  const found = (['podman', 'docker'] as const).find((name) => findProgram(name, env['PATH']) !== null);
  if (found) return found;
  throw new UnavailableError({ what: 'neither podman nor docker is installed', fix: ['ralph sandbox status'] });
}

/** Nothing has to be created, neither for a machine nor for a project: only the login is left to do. */
async function proveReady(backend: Backend, ground: Ground, io: Io): Promise<readonly string[]> {
  const [report] = await examineBackends(ground, io, backend);
  if (!report?.available) {
    throw new UnavailableError({
      what: `${backend} cannot be used here`,
      ...(report ? { why: report.detail, fix: report.fix } : {}),
    });
  }
  return [
    `${backend} is ready: ${oneLine(report.detail)}`,
    `logins made inside are kept in ${loginStore(io.env)}`,
    `log in once: ralph sandbox shell --backend ${backend}, then ${ground.config.agent[0] ?? 'the agent'}`,
  ];
}

function linePrinter(io: Io): (line: string) => void {
  return (line) => printLines(io, [`  ${oneLine(line)}`]);
}

/** `ralph sandbox remove [backend]`: deletes what `create` made, logins inside included. */
export async function removeSandbox([name]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const ground = await openGround(flags, io);
  const backend = name === undefined ? backendOf(ground.config) : backendNamed(name);
  const logins = loginStore(io.env);
  const isMachine = backend === 'sbx';
  if (!isOn(flags, 'yes')) {
    const what = isMachine
      ? 'everything installed in the sandbox of this project is deleted'
      : `every login made inside is deleted (${logins}), for all backends but sbx`;
    throw new UsageError({ what, fix: [`ralph sandbox remove ${backend} --yes`] });
  }
  if (isMachine) {
    const { removeSbx } = await import('../../adapters/isolation/sbx/manage.ts');
    const removed = await removeSbx(ground.policy.input);
    printLines(io, [removed ? 'the sandbox of this project is removed' : 'this project has no sandbox']);
    return 0;
  }
  const removed = await removeLogins(io.env);
  printLines(io, [removed ? `${logins} is removed: agents have to log in again` : 'there is no login to remove']);
  return 0;
}
