/** Writes the JSON Schemas that editors use into schemas/. Run it after a change of either schema. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { configJsonSchema } from '../src/adapters/workspace/config/settings.ts';
import { tasksJsonSchema } from './schemas/tasks-schema.ts';

const folder = new URL('../schemas/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, schema] of [
  ['config.schema.json', configJsonSchema()],
  ['tasks.schema.json', tasksJsonSchema()],
] as const) {
  writeFileSync(new URL(name, folder), `${JSON.stringify(schema, null, 2)}\n`);
}
