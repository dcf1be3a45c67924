type Env = Readonly<Record<string, string | undefined>>;

/** What leads to the database that the fleet is steered by, or opens it, and the key that signs its state. */
const OF_THE_FLEET = new Set([
  'RALPH_FLEET_KEY',
  'RALPH_ENGINE',
  'RALPH_REMOTE',
  'PGPASSWORD',
  'PGPASSFILE',
  'PGSERVICEFILE',
]);

/**
 * The environment without what steers the fleet: whatever a project's `env.pass` asks for, its agents and
 * checks do not get it.
 */
export function withoutFleet(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OF_THE_FLEET.has(name)));
}
