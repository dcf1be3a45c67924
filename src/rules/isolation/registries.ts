import type { Env } from '../../contracts/index.ts';
import { endpointOf } from './hosts.ts';
import { ECOSYSTEMS, GOOGLE_MAVEN, OWN_REGISTRIES, type OwnRegistries } from './registry-table.ts';

/** The package registries that a project's files and the user's variables name. */
interface RegistryHosts {
  /** Public ones, in the ecosystems that the files indicate. */
  readonly known: readonly { readonly host: string; readonly ecosystem: string }[];
  /** Any other, as an entry of an allow-list: named in a project file or in a variable. */
  readonly own: readonly { readonly host: string; readonly from: string }[];
  /** Loopback ports that are named as a registry. A file alone never opens them. */
  readonly local: readonly { readonly port: number; readonly from: string }[];
}

/** Names of the files to read, below a folder of the project; `*` stands for any characters. */
export const REGISTRY_FILES: readonly string[] = [
  ...new Set([...ECOSYSTEMS, ...OWN_REGISTRIES].flatMap(({ files }) => files)),
].sort();

/** Whether a path (`packages/app/package.json`) ends in one of these names. */
export function namesFile(names: readonly string[], path: string): boolean {
  return names.some((name) => expressions.get(name)?.test(path));
}

/** `.cargo/config.toml` → every path with that end. */
const expressions = new Map(
  REGISTRY_FILES.map((name) => [name, new RegExp(`(^|/)${starred(name, '[^/]*')}$`)] as const),
);

/**
 * @param files text by path below the project's root; an agent can write them, so the caller chooses which version of
 *   them to trust, once at the start of a run
 * @param env the user's environment
 */
export function registryHosts(files: Readonly<Record<string, string>>, env: Env): RegistryHosts {
  const entries = Object.entries(files);
  const known = new Map<string, string>();
  for (const { name, files: names, hosts } of ECOSYSTEMS) {
    if (!entries.some(([path]) => namesFile(names, path))) continue;
    for (const host of hosts) if (!known.has(host)) known.set(host, name);
  }
  if (entries.some(([path, text]) => namesFile(GOOGLE_MAVEN.files, path) && GOOGLE_MAVEN.call.test(text))) {
    for (const host of GOOGLE_MAVEN.hosts) known.set(host, 'gradle');
  }

  const own = new Map<string, string>();
  const local = new Map<number, string>();
  const named = [...entries.flatMap(([path, text]) => addressesIn(path, text)), ...addressesInVariables(env)];
  for (const { address, from } of named) {
    const endpoint = endpointOf(address);
    if (endpoint?.kind === 'local' && !local.has(endpoint.port)) local.set(endpoint.port, from);
    if (endpoint?.kind !== 'host' || known.has(endpoint.pattern)) continue;
    // A public registry is not the project's own, even if its ecosystem has no files here.
    const ecosystem = ECOSYSTEMS.find(({ hosts }) => hosts.includes(endpoint.pattern));
    if (ecosystem) known.set(endpoint.pattern, ecosystem.name);
    else if (!own.has(endpoint.pattern)) own.set(endpoint.pattern, from);
  }
  return {
    known: [...known].map(([host, ecosystem]) => ({ host, ecosystem })),
    own: [...own].map(([host, from]) => ({ host, from })),
    local: [...local].map(([port, from]) => ({ port, from })),
  };
}

interface Named {
  readonly address: string;
  readonly from: string;
}

function addressesIn(path: string, text: string): readonly Named[] {
  const rules = OWN_REGISTRIES.filter(({ files }) => namesFile(files, path));
  const plain = text.replaceAll('\r\n', '\n');
  return rules.flatMap((rule) => {
    const found = partsOf(plain, rule).flatMap((part) => [...part.matchAll(rule.address)]);
    // Properties files escape the colon.
    const urls = found.map(([whole, group]) => (group ?? whole).replace('\\:', ':'));
    return [...new Set(urls)].map((address) => ({ address, from: path }));
  });
}

/** The text between `begin` and `end`, or up to the end of the text if `end` does not follow. */
function partsOf(text: string, { begin, end }: OwnRegistries): readonly string[] {
  if (!begin || !end) return [text];
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const first = endOf(begin, text, at);
    if (first === null) break;
    const next = new RegExp(end);
    next.lastIndex = first;
    const last = next.exec(text)?.index ?? text.length;
    parts.push(text.slice(first, last));
    at = last;
  }
  return parts;
}

/** The end of the next match from `at` on. */
function endOf(expression: RegExp, text: string, at: number): number | null {
  const from = new RegExp(expression);
  from.lastIndex = at;
  return from.test(text) ? from.lastIndex : null;
}

/** Variables hold one address or several: `https://a,https://b|direct`, `name=https://a`, `sum.golang.org+key https://a`. */
function addressesInVariables(env: Env): readonly Named[] {
  return Object.entries(env).flatMap(([name, value = '']) =>
    variables.test(name)
      ? [...value.matchAll(/https?:\/\/[^\s,|]+/g)].map(([address]) => ({ address, from: name }))
      : [],
  );
}

const variables = new RegExp(
  `^(${ECOSYSTEMS.flatMap((each) => each.variables.map((name) => starred(name, '.*'))).join('|')})$`,
  'i',
);

function starred(name: string, any: string): string {
  return name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', any);
}
