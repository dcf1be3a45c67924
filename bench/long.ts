/**
 * A run of a night: 2,000 iterations (500 stories, each sent back by its first review) of an agent that answers at
 * once, in a repository of 50 files, without checks. What an iteration costs and what the loop holds, early and late.
 * `BENCH_STORIES=50` for a short look.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeAgent } from './support/agent.ts';
import { build, RALPH } from './support/built.ts';
import { notesOfLoop } from './support/loop.ts';
import { backlogText, bareMemory, cleanEnvironment, makeRepository, temporaryFolder } from './support/repository.ts';
import { median, ms, ratio, report } from './support/statistics.ts';

const STORIES = Number(process.env['BENCH_STORIES'] ?? 500);
const FILES = 50;

await build();
const folder = temporaryFolder();
const project = join(folder, 'project');
mkdirSync(project);
makeRepository(project, FILES, {
  'ralph/tasks.json': backlogText(STORIES),
  'ralph/prd.md': '# Wanted\n',
  'ralph.config.json': JSON.stringify({
    maxAllowedIterations: 100_000,
    calls: 100_000,
    agents: { claude: { command: writeAgent(folder, null, { sendsBack: true }) } },
  }),
});
const iterations = STORIES * 4;
const env = cleanEnvironment(folder);
// The first run of a build compiles its parts for the next ones, which makes it 5 MB larger.
spawnSync(process.execPath, [RALPH, 'run', '1'], { cwd: project, env });
const args = [RALPH, 'run', String(iterations + 5)];
const notes = await notesOfLoop({ file: process.execPath, args, cwd: project, env, folder, iterations });
const overheads = notes.slice(1).map((note, at) => note.start - (notes[at]?.end ?? note.start));
const early = Math.min(200, Math.floor(notes.length / 2));
const around = (values: readonly number[], at: number) => median(values.slice(Math.max(0, at - 50), at));
const [overhead, lateOverhead] = [around(overheads, early), around(overheads, overheads.length)];
const memories = notes.map(({ memory }) => memory);
const [memory, lateMemory] = [around(memories, early), around(memories, memories.length)];

console.log(`${notes.length} iterations, ${STORIES} stories, ${FILES} files`);
report(`overhead, the 50 iterations up to ${early}`, ms(overhead));
report('overhead, the last 50 iterations', ms(lateOverhead), ratio(lateOverhead / overhead, 1.1));
report(`memory, the 50 iterations up to ${early}`, `${memory.toFixed(1)} MB`, ratio(memory / bareMemory(), 2.2));
report('memory, the last 50 iterations', `${lateMemory.toFixed(1)} MB`, ratio(lateMemory / memory, 1.02));
