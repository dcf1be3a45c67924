import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backlogText, cleanEnvironment, makeRepository, temporaryFolder } from '../../bench/support/repository.ts';
import { root } from '../root.ts';
import { runProgram } from '../run-program.ts';
import type { Measure } from './measures.ts';

const STEP = {
  do: [
    { write: { path: 'src/made.js', content: 'export const made = 1;\n' } },
    { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } },
  ],
};

interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

/** What one accepted iteration of the scripted agent runs of the sources, in all of its processes. */
export async function executed(): Promise<readonly Measure[]> {
  const folder = temporaryFolder();
  const project = join(folder, 'project');
  const coverage = join(folder, 'coverage');
  const scenario = join(folder, 'scenario.json');
  mkdirSync(project);
  makeRepository(project, 3, { 'ralph/tasks.json': backlogText(1), 'ralph/prd.md': '# Wanted\n' });
  writeFileSync(scenario, JSON.stringify({ version: 1, steps: [STEP] }));
  const ralph = ['--import', import.meta.resolve('tsx'), join(root, 'src/main.ts')];
  const { output } = await runProgram(
    process.execPath,
    [...ralph, 'run', '--once', '--agent', 'scripted', '--scenario', scenario],
    { cwd: project, env: { ...cleanEnvironment(folder), NODE_V8_COVERAGE: coverage }, capture: true },
  );
  if (!/goes to review/.test(output)) throw new Error(`no accepted iteration:\n${output}`);
  const loaded = new Set<string>();
  const called = new Set<string>();
  for (const name of readdirSync(coverage)) {
    const scripts: readonly Script[] = JSON.parse(readFileSync(join(coverage, name), 'utf8')).result;
    for (const { url, functions } of scripts) {
      const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
      if (!file.startsWith('src/')) continue;
      loaded.add(file);
      // The module itself, and what tsx puts into each, are no functions of the file.
      const own = functions.filter(({ functionName }) => functionName !== '' && functionName !== '__name');
      if (own.some(({ ranges }) => ranges[0]?.count)) called.add(file);
    }
  }
  return [
    {
      name: 'source files executed in one accepted iteration',
      value: loaded.size,
      goal: 350,
      what: [...loaded].sort(),
    },
    { name: '… of which a function is called', value: called.size, goal: null, what: [...called].sort() },
  ];
}
