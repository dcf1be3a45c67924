import type { Nested } from '../nested.ts';
import { entryOf } from '../table.ts';
import { UNKNOWN, wordOf } from '../text.ts';
import { type Call, textOf } from './values.ts';

/**
 * What a call does to databases, clouds and key rings, as the command line that would do the same: the rules about `psql`
 * and `aws` need not know client libraries. Empty for any other call.
 */
export function serviceEffectsOf(call: Call, code: string): readonly Nested[] {
  const name = call.names.at(-1) ?? '';
  const words = entryOf(BY_NAME, name)?.(call, code) ?? statement(call, code) ?? cloudChange(name, code);
  return words === null ? [] : [{ kind: 'argv', via: '', words: words.map((word) => wordOf(word)) }];
}

type Service = (call: Call, code: string) => readonly string[] | null;

const flushes: Service = () => ['redis-cli', 'FLUSHALL'];

const dropsDatabase: Service = () => ['mongosh', '--eval', 'db.dropDatabase()'];

/** With an empty filter: everything. */
const deletesDocuments: Service = ({ args: [filter] }) =>
  filter === undefined || (filter.kind === 'record' && filter.fields.size === 0)
    ? ['mongosh', '--eval', 'db.collection.deleteMany({})']
    : null;

const readsKeyRing: Service = (_, code) => (/keyring|keytar/.test(code) ? ['secret-tool', 'lookup'] : null);

/** `glob.glob('~/.ssh/*')`: what happens to the files is done by other calls, which get them one by one. */
const findsFiles: Service = ({ args: [pattern] }, code) => {
  const path = textOf(pattern);
  if (path === UNKNOWN) return null;
  if (/\b(unlink\w*|remove\w*|rmtree|rm_r?f?|delete)\b/.test(code)) return ['rm', '-rf', path];
  return /\b(open|read\w*|slurp|file_get_contents)\b/.test(code) ? ['cat', path] : null;
};

const BY_NAME: Readonly<Record<string, Service>> = {
  flushall: flushes,
  flushAll: flushes,
  flushdb: flushes,
  flushDb: flushes,
  dropDatabase: dropsDatabase,
  drop_database: dropsDatabase,
  deleteMany: deletesDocuments,
  delete_many: deletesDocuments,
  get_password: readsKeyRing,
  getPassword: readsKeyRing,
  glob: findsFiles,
  iglob: findsFiles,
  globSync: findsFiles,
};

/** Statements that change tables; what they lose is for the rules to tell. */
const CHANGING_SQL = /^\s*(drop|truncate|delete\s+from|alter|update|revoke)\s/i;

const FILE_DATABASE = /sqlite|duckdb|:memory:/i;

const OPENED_FILE = /\b(?:connect|open|Database|DatabaseSync|new)\s*\(\s*(["'])([^"']+)\1/;

/** A call that is handed a changing statement: `cursor.execute('DROP TABLE t')`, `pool.query('…')`, `mysqli_query($c, '…')`. */
const statement: Service = ({ names, args }, code) => {
  if (!/query|exec|run|raw|unsafe|prepare|sql|^do$/i.test(names.at(-1) ?? '')) return null;
  const sql = args.map(textOf).find((text) => CHANGING_SQL.test(text));
  if (sql === undefined) return null;
  if (!FILE_DATABASE.test(code)) return ['psql', '-c', sql];
  return ['sqlite3', OPENED_FILE.exec(code)?.[2] ?? ':memory:', sql];
};

const CLOUD_LIBRARY =
  /\bboto3?\b|aws-sdk|google\.cloud|@google-cloud|googleapiclient|azure\.|@azure\/|digitalocean|\bdocker\.from_env/;

const CLOUD_VERB =
  /^(delete|terminate|destroy|purge|deregister)(_\w+|[A-Z]\w*)?$|^(Delete|Terminate|Purge|Deregister)\w+Command$/;

function cloudChange(name: string, code: string): readonly string[] | null {
  return CLOUD_VERB.test(name) && CLOUD_LIBRARY.test(code) ? ['aws', 'sdk', 'delete-resources'] : null;
}
