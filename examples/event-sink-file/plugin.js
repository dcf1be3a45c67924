import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { definePlugin } from '@ralph-loop/cli/plugin';

/** What is worth a line, and its words. */
const LINES = {
  'run-start': ({ agent, branch }) => `run started with ${agent} on ${branch}`,
  select: ({ mode, story, title }) => `${mode} ${story}: ${title}`,
  verdict: ({ story, verdict, reason }) => `${story} ${verdict}: ${reason}`,
  commit: ({ commit, subject }) => `committed ${commit.slice(0, 10)} ${subject}`,
  wait: ({ text }) => `waits: ${text}`,
  'run-end': ({ reason, summary }) => `run ended: ${reason}: ${summary}`,
};

/** Appends a line for each thing that matters to a file. */
export default definePlugin(({ options, root, run }) => {
  const file = resolve(root, options.file ?? '.ralph/diary.log');
  return {
    name: 'diary',
    async onEvent(event) {
      const words = LINES[event.type]?.(event);
      if (words === undefined) return;
      await mkdir(dirname(file), { recursive: true });
      // Titles and reasons are an agent's words: control characters would reach the terminal that shows the file.
      await appendFile(file, `${event.ts} ${run} ${words.replace(/\p{Cc}+/gu, ' ')}\n`);
    },
  };
});
