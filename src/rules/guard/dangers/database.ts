import type { GuardRules, GuardTest, SimpleCommand } from '../api.ts';
import { operands, optionValue, optionValues, textsOf } from '../options.ts';
import { mayWrite, placeOfWord } from '../paths.ts';
import { namesIn, table } from '../tables.ts';
import { feeders, standardInputText } from './matching/network.ts';
import { allOf, anyOf, forPrograms, isForTests, isRehearsal, not, shapes } from './matching/shape.ts';

/** SQL clients, with the options that carry statements; null: operands after the database carry them. */
const SQL_CLIENTS = table<string | null>([
  ['psql pgcli usql', 'c command'],
  ['cockroach mycli cqlsh', 'e execute'],
  ['mysql mariadb', 'e execute init-command'],
  ['sqlcmd', 'Q q'],
  ['clickhouse-client clickhouse snowsql snow', 'q query'],
  ['mysqlsh', 'e execute sql'],
  ['influx', 'execute -execute'],
  ['trino presto', 'execute'],
  ['litecli hive beeline', 'e'],
  ['wrangler', 'command'],
  ['bq sqlite3 duckdb turso isql sqlplus supabase prisma', null],
]);

const LOCAL_FILE_CLIENTS: ReadonlySet<string> = new Set(['sqlite3', 'duckdb']);

const LITERALS = /'(?:[^']|'')*'/g;
const COMMENTS = /\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|--[^\n]*/g;
const DROPS =
  /\b(drop\s+(database|schema|table|view|materialized\s+view|user|role|owned|keyspace|collection|tablespace|index|column|function|sequence|type|extension)|truncate(\s+table)?\s+["`\w]|drop\s+column|alter\s+system|revoke\s+all|delete\s+from\s+\S+\s*(;|$|returning|\)))/i;

/** Statements that lose data: `DROP`, `TRUNCATE`, `DELETE` and `UPDATE` of all rows. */
function losesData(sql: string): boolean {
  const bare = sql.replace(COMMENTS, ' ').replace(LITERALS, "''");
  return DROPS.test(bare) || bare.split(';').some(changesAllRows);
}

function changesAllRows(statement: string): boolean {
  const changes = /\b(delete\s+from|update)\s+\S+(\s+(as\s+)?\w+)?\s*(set\b|using\b|where\b|$)/i.test(statement.trim());
  const limited = /\bwhere\b(?!\s*(\(?\s*(1\s*=\s*1|true|1)\s*\)?\s*$))/i.test(statement);
  return changes && !limited;
}

/** The statements that a database client gets: by option, as words, on standard input, as text in another statement. */
function statementsOf(command: SimpleCommand): readonly string[] {
  const options = SQL_CLIENTS.get(command.name);
  if (options === undefined) return [];
  const words =
    options === null
      ? [...operands(command), ...optionValues(command, '-cmd', 'cmd')]
      : optionValues(command, ...namesIn(options));
  const generated = feeders(command)
    .flatMap(statementsOf)
    .flatMap((sql) => sql.match(LITERALS) ?? []);
  return [...textsOf(words), standardInputText(command), ...generated.map((literal) => `${literal.slice(1, -1)} x;`)];
}

/** A temporary database file or one of the project: the project's own tools can recreate it. */
const isThrowAwayFile: GuardTest = (command, context) => {
  if (!LOCAL_FILE_CLIENTS.has(command.name)) return false;
  const [file] = operands(command);
  if (file === undefined || file.text === ':memory:') return true;
  return mayWrite(placeOfWord(file, command, context)) && !/prod|live/i.test(file.text);
};

const losesRows = forPrograms(
  [...SQL_CLIENTS.keys()],
  (command, context, script) => !isThrowAwayFile(command, context, script) && statementsOf(command).some(losesData),
);

const DOCUMENT_LOSS =
  /\b(dropDatabase|dropIndexes|dropUser|dropAllUsers|deleteMany\s*\(\s*(\{\s*\})?\s*\)|remove\s*\(\s*\{\s*\}\s*\)|shutdownServer|detach\s+delete)\b|\.drop\s*\(|deleteMany\s*\(\s*\{\s*\}|remove\s*\(\s*\{\s*\}/i;

const losesDocuments = forPrograms('mongo mongosh cypher-shell', (command) => {
  return [...textsOf(command.args), standardInputText(command)].some((text) => DOCUMENT_LOSS.test(text));
});

const KEY_LOSS =
  /(^|[\s'"(])(flushall|flushdb|shutdown|swapdb|debug\s+(segfault|flushall)|config\s+(set|rewrite)|replicaof|slaveof|script\s+flush|flush_all)([\s'")]|$)/i;

const losesKeys = forPrograms('redis-cli valkey-cli keydb-cli iredis nc ncat telnet memcached-tool', (command) => {
  const typed = standardInputText(command);
  const said = /^(nc|ncat|telnet)$/.test(command.name) ? typed : `${textsOf(command.args).join(' ')}\n${typed}`;
  const unlistedKeys = command.via.includes('xargs') && /\b(del|unlink)\b/i.test(said);
  return !isRehearsal(command) && (KEY_LOSS.test(said) || unlistedKeys);
});

/** `RAILS_ENV=test`, `--env=testing`, `app_test`: a database that the tests recreate. */
const usesTestDatabase: GuardTest = (command, ...rest) =>
  command.assignments.some(({ name, value }) => /_ENV$/.test(name) && /^test(ing)?$/.test(value.text)) ||
  optionValue(command, 'env', 'environment', 'e')?.text === 'test' ||
  isForTests(command, ...rest);

export const database: GuardRules = {
  'database/statement': {
    reason: 'This statement deletes tables, databases or all rows.',
    alternative: 'Write a migration, and try it on a throw-away database file in the work tree or in a test.',
    matches: losesRows,
  },
  'database/documents': {
    reason: 'This deletes databases, collections or keys.',
    alternative: 'Use a throw-away database that your test starts itself.',
    matches: anyOf(
      losesDocuments,
      losesKeys,

      'influx delete',
      'couchbase-cli bucket-delete|bucket-flush',
      'kafka-topics|kafka-topics.sh --delete',
      'rabbitmqctl reset|force_reset|delete_*|purge_queue',
      'mongorestore --drop',
    ),
  },
  'database/drop': {
    reason: 'This deletes a whole database.',
    alternative: 'Use a throw-away database that your test starts itself.',
    matches: allOf(
      not(usesTestDatabase),
      shapes(
        'dropdb|dropuser|pg_dropcluster|pg_resetwal *',
        'mysqladmin drop|shutdown|flush-*',
        'pg_ctl|pg_ctlcluster initdb',
        'pg_restore -c|--clean',
        'pg_ctlcluster * stop',
      ),
    ),
  },
  'database/framework': {
    reason: "This resets or empties the application's database.",
    alternative: 'Use the test database, or a new migration that goes forward.',
    matches: allOf(
      not(usesTestDatabase),
      shapes(
        'rails|rake|bin/rails db:drop*|db:reset*|db:purge*|db:truncate_all|db:migrate:reset|db:schema:load|db:seed:replant|db:rollback:all|db:setup:force',
        'prisma migrate|db reset|execute',
        'prisma db push --force-reset|--accept-data-loss',
        'drizzle-kit|dbmate|migrate drop',
        'drizzle-kit push --force',
        'alembic downgrade base',
        'flask db downgrade base',
        'php|sail|node artisan|./artisan|ace migrat*:fresh|migrat*:reset|migrat*:refresh|migrate:rollback|db:wipe',
        'artisan|sail|ace|adonis|payload migrat*:fresh|migrat*:reset|migrat*:refresh|migrate:rollback|db:wipe',
        'python|python3|uv manage.py|*/manage.py flush|reset_db|reset_schema',
        'django-admin|manage.py flush|reset_db',
        'python|python3 manage.py|*/manage.py migrate * zero',
        'manage.py|django-admin migrate * zero',
        'knex migrate:rollback|migrate:down --all',
        'typeorm|typeorm-ts-node-esm|typeorm-ts-node-commonjs|mikro-orm schema:drop|schema:sync|schema:fresh|migration:fresh|database:drop',
        'sequelize|sequelize-cli db:drop|db:migrate:undo:all|db:seed:undo:all',
        'php bin/console|*/console|artisan doctrine:database:drop|doctrine:schema:drop|doctrine:migrations:*first',
        'console|symfony doctrine:database:drop|doctrine:schema:drop',
        'symfony console doctrine:database:drop|doctrine:schema:drop',
        'mix ecto.drop|ecto.reset',
        'mix ecto.rollback --all',
        'diesel|sqlx|wp|dotnet-ef database|db drop|reset|clean',
        'dotnet ef database drop',
        'sea-orm-cli migrate fresh|reset|refresh',
        'migrate down -all',
        'goose reset|down-to',
        'flyway clean|undo',
        'liquibase drop-all|dropAll|rollback*',
        'mvn|mvnw|gradle|gradlew flyway:clean|flywayClean|liquibase:dropAll|dropAll',
        'ent|atlas schema clean',
        'hasura metadata clear',
        'drush|n98-magerun2 sql-drop|sql:drop|site-install|db:drop',
        'bench drop-site|reinstall',
      ),
    ),
  },
};
