/**
 * A fleet played through by its model: how much it does, how evenly, what faults cost, and where it breaks. No service,
 * no agent, no clock: the same figures wherever it runs. `docs/fleet.md` says what they mean.
 */
import { simulate } from '../test/support/fleet-model/simulate.ts';
import { COLUMNS, TABLES } from './support/fleet-tables.ts';

const started = performance.now();
let events = 0;
for (const { title, rows, columns } of TABLES) {
  const cells = Object.entries(rows).map(([name, scenario]) => {
    const figures = simulate(scenario);
    events += figures.events;
    for (const violation of figures.violations.slice(0, 5)) {
      console.error(`${name}: ${violation}`);
      process.exitCode = 1;
    }
    return [name, ...columns.map((column) => COLUMNS[column](figures, scenario))];
  });
  print([[title, ...columns], ...cells]);
}
console.log(`${events.toLocaleString('en')} events in ${((performance.now() - started) / 1000).toFixed(1)} s`);

function print(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
    console.log(cells.join('  '));
  }
  console.log('');
}
