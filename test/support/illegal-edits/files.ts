import { editTasks, READY, shell, write } from '../says.ts';
import { REVIEWED, type Row, set, WORK } from './row.ts';

export const FILES: readonly Row[] = [
  {
    title: 'leaves half a file',
    does: [WORK, write('ralph/tasks.json', '{ "userStories": [ {'), READY],
    broken: [['transition/backlog-unreadable', 'ralph/tasks.json']],
    becomes: REVIEWED,
    verdict: 'accepted',
  },
  {
    title: 'gives a story an impossible value',
    does: [WORK, set({ reviewCount: -3 })],
    broken: [['transition/backlog-unreadable', 'ralph/tasks.json']],
    verdict: 'advanced',
  },
  {
    title: 'gives two stories one id',
    does: [WORK, editTasks('b.userStories[2].id = "US-001"')],
    broken: [['transition/backlog-unreadable', 'ralph/tasks.json']],
    verdict: 'advanced',
  },
  {
    title: 'deletes the file',
    does: [WORK, { delete: 'ralph/tasks.json' }],
    broken: [['transition/backlog-unreadable', 'ralph/tasks.json']],
    verdict: 'advanced',
  },
  {
    title: 'replaces the file by a folder',
    does: [WORK, shell('rm ralph/tasks.json && mkdir ralph/tasks.json && touch ralph/tasks.json/x')],
    broken: [['transition/backlog-unreadable', 'ralph/tasks.json']],
    verdict: 'advanced',
  },
  {
    title: 'replaces the file by a link',
    does: [WORK, shell('mv ralph/tasks.json elsewhere.json && ln -s ../elsewhere.json ralph/tasks.json')],
    broken: [],
    verdict: 'advanced',
  },
  {
    title: 'deletes the spec folder',
    does: [WORK, { delete: 'ralph' }],
    broken: [
      ['transition/backlog-unreadable', 'ralph/tasks.json'],
      ['protected-file', 'ralph/prd.md'],
    ],
    verdict: 'advanced',
  },
  {
    title: 'rewrites the requirements',
    does: [WORK, write('ralph/prd.md', '# Nothing is wanted\n')],
    broken: [['protected-file', 'ralph/prd.md']],
    verdict: 'advanced',
  },
  {
    title: 'deletes .ralph',
    does: [WORK, { delete: '.ralph' }],
    broken: [['protected-file', '.ralph/.gitignore']],
    verdict: 'advanced',
  },
];
