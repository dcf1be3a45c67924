import { UsageError } from '../../contracts/index.ts';
import { knowSecrets } from '../../platform/index.ts';
import type { EngineClient } from '../../streams/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { type RawFlags, textOf } from '../shared/flags.ts';

/**
 * Address of the fleet's shared database. From here on its password is masked in everything printed.
 * @throws UsageError where none is named, or it is not a PostgreSQL address
 */
export function engineUrl(flags: RawFlags, io: Io): string {
  const text = textOf(flags, 'engine') ?? io.env['RALPH_ENGINE'] ?? '';
  if (text === '') {
    throw new UsageError({
      what: 'no fleet given',
      fix: ['name its database: --engine postgres://user@host/database', 'or set RALPH_ENGINE to it'],
    });
  }
  if (splitsElsewhere(text)) {
    throw new UsageError({
      what: 'the database URL has an @, /, ? or # in the wrong place',
      where: `${text.slice(0, text.indexOf('//') + 2)}…${text.slice(text.lastIndexOf('@'))}`,
      why: 'in the user name and password, percent-encode them: %40 for @, %2F for /, %23 for #, %25 for %',
      fix: ['encode them', 'or leave the password out and set PGPASSWORD'],
    });
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  // The value is not repeated: it may hold a password.
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol)) {
    throw new UsageError({
      what: 'the engine of a fleet is a PostgreSQL database, and this is not the URL of one',
      fix: ['write it as postgres://user@host:5432/database, with special characters in the password percent-encoded'],
    });
  }
  if (isMiscoded(url.password) || isMiscoded(url.username) || isMiscoded(url.pathname)) {
    throw new UsageError({
      what: 'the database URL has a % that encodes nothing',
      where: `${url.protocol}//…@${url.host}`,
      fix: ['write %25 for a %'],
    });
  }
  knowSecrets([decoded(url.password), url.password, io.env['PGPASSWORD'] ?? '']);
  return text;
}

/** An unencoded password ends the part before the host too early: its rest would be parsed as host and path. */
function splitsElsewhere(text: string): boolean {
  const rest = text.slice(text.indexOf('//') + 2);
  const end = rest.search(/[/?#]/);
  // After the database name, a setting may hold one.
  const after = rest[end] === '/' ? rest.slice(end).split('?')[0] : rest.slice(end);
  return end >= 0 && after?.includes('@') === true;
}

function isMiscoded(text: string): boolean {
  return /%(?![0-9a-f]{2})/i.test(text) || decodedOr(text, null) === null;
}

/** The text percent-decoded; unchanged where it is not valid. */
export function decoded(text: string): string {
  return decodedOr(text, text) ?? text;
}

function decodedOr(text: string, otherwise: string | null): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return otherwise;
  }
}

/** Works with the fleet without being one of its workers. @throws UnavailableError when it cannot be reached */
export async function withFleet<T>(flags: RawFlags, io: Io, work: (client: EngineClient) => Promise<T>): Promise<T> {
  const url = engineUrl(flags, io);
  const { openEngineClient } = await import('../../streams/engine/dbos/client.ts');
  const client = await openEngineClient(url);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
