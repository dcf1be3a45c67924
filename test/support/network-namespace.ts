import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A network of its own for some processes, joined to this machine by one pair of interfaces that nothing else uses. */
export interface NetworkNamespace {
  /** Address of this machine as the namespace sees it. */
  readonly host: string;
  /** Command to put before a program that is to run inside; it becomes that program, with the same pid. */
  readonly enter: readonly string[];
  /** From now on nothing passes, in either direction, and nobody is told. */
  cut(): Promise<void>;
  fix(): Promise<void>;
  /** Removes the namespace and both interfaces. Its processes are ended before. */
  remove(): Promise<void>;
}

/** Null where namespaces can be made, else the reason why not: found out by making one. */
export async function lacksNamespaces(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  try {
    await (await makeNetworkNamespace()).remove();
    return null;
  } catch (error) {
    return `network namespaces cannot be made here: ${error instanceof Error ? error.message : error}`;
  }
}

/** One for each process: names and addresses are made of its pid. Needs root. */
export async function makeNetworkNamespace(): Promise<NetworkNamespace> {
  const [name, outer, inner] = [`ralph-${process.pid}`, `rlo${process.pid}`, `rli${process.pid}`];
  const { host, guest } = addresses(process.pid);
  const remove = async () => {
    await ip('link', 'del', outer).catch(() => undefined);
    await ip('netns', 'del', name).catch(() => undefined);
  };
  await ip('netns', 'add', name);
  try {
    await ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', name);
    await ip('addr', 'add', `${host}/30`, 'dev', outer);
    await ip('link', 'set', outer, 'up');
    await ip('-n', name, 'addr', 'add', `${guest}/30`, 'dev', inner);
    await ip('-n', name, 'link', 'set', 'lo', 'up');
    await ip('-n', name, 'link', 'set', inner, 'up');
    await run('nsenter', [`--net=/run/netns/${name}`, 'true']);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    host,
    enter: ['nsenter', `--net=/run/netns/${name}`, '--'],
    cut: () => ip('link', 'set', outer, 'down'),
    fix: () => ip('link', 'set', outer, 'up'),
    remove,
  };
}

/** The two usable addresses of a /30 within 10.213.0.0/16. */
function addresses(pid: number): { readonly host: string; readonly guest: string } {
  const block = pid % 16_384;
  const last = (block % 64) * 4;
  const net = `10.213.${Math.floor(block / 64)}`;
  return { host: `${net}.${last + 1}`, guest: `${net}.${last + 2}` };
}

async function ip(...args: readonly string[]): Promise<void> {
  await run('ip', [...args]);
}
