import type { Attempt } from '../attempt.ts';

/** What the sandbox of these attempts may use, and how much less than what is tried that is. */
export const LITTLE = { memoryBytes: 256 * 1024 * 1024, processes: 120 } as const;

const PROCESSES_TRIED = 600;
const MEMORY_TRIED = 768 * 1024 * 1024;

export const LIMITS: readonly Attempt[] = [
  {
    id: 'fork-bomb',
    category: 'limits',
    attempt: `start more processes than the limit: ${PROCESSES_TRIED} where ${LITTLE.processes} are allowed`,
    phase: 'limits',
    by: 'node',
    script: `
      const { spawn } = require('node:child_process');
      const started = [];
      for (let i = 0; i < ${PROCESSES_TRIED}; i += 1) {
        const child = spawn('sleep', ['30'], { stdio: 'ignore' });
        child.on('error', () => {});
        if (child.pid === undefined) break;
        started.push(child);
      }
      console.log(started.length + ' processes could be started');
      if (started.length > ${LITTLE.processes}) escaped(started.length + ' processes could be started');
      for (const child of started) child.kill('SIGKILL');`,
  },
  {
    id: 'memory',
    category: 'limits',
    attempt: 'use more memory than the limit: 768 MB where 256 are allowed',
    phase: 'limits',
    by: 'node',
    script: `
      const blocks = [];
      for (let used = 0; used < ${MEMORY_TRIED}; used += 2 ** 25) {
        blocks.push(Buffer.alloc(2 ** 25, 1));
        console.log((used + 2 ** 25) / 2 ** 20 + ' MB could be used');
      }
      escaped('768 MB could be used');`,
  },
];
