import { describe, expect, it } from 'vitest';
import { understand } from './understand.ts';

function storiesIn(file: string, text: string) {
  const input = { file, bytes: new TextEncoder().encode(text), reviews: null, repair: false };
  const understood = understand(input);
  if ('problems' in understood) return understood.problems.map(({ rule }) => rule);
  return understood.stories.map(({ story }) => [
    story.id,
    story.title,
    story.passes ? 'done' : story.blocked === undefined ? 'open' : 'blocked',
    story.priority,
    story.dependsOn,
    story.acceptanceCriteria,
  ]);
}

const JIRA_CSV = `Summary,Issue key,Issue id,Issue Type,Status,Priority,Resolution,Labels,Labels,Description,Inward issue link (Blocks),Custom field (Acceptance Criteria)
Log in,SHOP-1,10001,Story,Released,High,Done,auth,web,"As a user,
so that ""my"" cart is kept",,"* wrong password shows an error
* session survives"
"Log out, everywhere",SHOP-2,10002,Story,To Do,Medium,,,,,SHOP-1,
Old,SHOP-3,10003,Bug,Closed,Low,Won't Do,,,,,
`;

const JIRA = {
  issues: [
    {
      id: '10001',
      key: 'SHOP-1',
      fields: {
        summary: 'Log in',
        status: { name: 'In Norwegen', statusCategory: { key: 'done', name: 'Done' } },
        priority: { name: 'High' },
        description: { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Wanted' }] }] },
      },
    },
    {
      key: 'SHOP-2',
      fields: {
        summary: 'Log out',
        status: { name: 'To Do' },
        issuelinks: [{ type: { inward: 'is blocked by' }, inwardIssue: { key: 'SHOP-1' } }],
      },
    },
  ],
};

const TRELLO = {
  name: 'Shop',
  lists: [
    { id: 'l1', name: 'To Do', closed: false },
    { id: 'l2', name: 'Done', closed: false },
  ],
  cards: [
    { idShort: 1, id: 'c1', name: 'Log in', desc: '', closed: false, idList: 'l2' },
    { idShort: 2, id: 'c2', name: 'Log out', desc: '', closed: false, idList: 'l1' },
    { idShort: 3, id: 'c3', name: 'Archived', desc: '', closed: true, idList: 'l1' },
  ],
  checklists: [{ idCard: 'c2', checkItems: [{ name: 'ends the session', state: 'incomplete' }] }],
};

describe('exports of trackers', () => {
  it.each([
    [
      'jira.csv',
      JIRA_CSV,
      [
        ['SHOP-1', 'Log in', 'done', 1, [], ['wrong password shows an error', 'session survives']],
        ['SHOP-2', 'Log out, everywhere', 'open', 2, ['SHOP-1'], []],
        ['SHOP-3', 'Old', 'blocked', 3, [], []],
      ],
    ],
    [
      'jira.json',
      JSON.stringify(JIRA),
      [
        ['SHOP-1', 'Log in', 'done', 1, [], []],
        ['SHOP-2', 'Log out', 'open', 2, ['SHOP-1'], []],
      ],
    ],
    [
      'trello.json',
      JSON.stringify(TRELLO),
      [
        ['1', 'Log in', 'done', 1, [], []],
        ['2', 'Log out', 'open', 2, [], ['ends the session']],
      ],
    ],
    [
      'azure.csv',
      'ID,Work Item Type,Title,State,Priority,Acceptance Criteria\n7,Task,Log in,Closed,1,"<ul><li>a</li><li>b</li></ul>"\n8,Bug,Gone,Removed,2,\n',
      [['7', 'Log in', 'done', 1, [], ['a', 'b']]],
    ],
    [
      'linear.csv',
      '"ID","Title","Description","Status","Priority","Completed","Canceled"\n"ENG-1","Log in","- [ ] one","Done","Urgent","Sun Feb 01 2026",""\n"ENG-2","Old","","Canceled","No priority","","Mon Feb 02 2026"\n',
      [
        ['ENG-1', 'Log in', 'done', 0, [], ['one']],
        ['ENG-2', 'Old', 'blocked', 1, [], []],
      ],
    ],
    [
      'asana.csv',
      ',,\n,,https://app.asana.com/x\nTask ID,Completed At,Name,Section/Column,Notes,Blocked By (Dependencies)\n1201,2026-01-05,Set up,To do,,\n1202,,Log in,To do,,Set up\n',
      [
        ['1201', 'Set up', 'done', 1, [], []],
        ['1202', 'Log in', 'open', 2, ['1201'], []],
      ],
    ],
    [
      'issues.json',
      JSON.stringify([
        { number: 12, title: 'Log in', state: 'OPEN', body: '- [ ] one\nDepends on #13', url: 'https://x/12' },
        { number: 13, title: 'Set up', state: 'CLOSED', body: '', url: 'https://x/13' },
      ]),
      [
        ['12', 'Log in', 'open', 1, ['13'], ['one']],
        ['13', 'Set up', 'done', 2, [], []],
      ],
    ],
    [
      'project.json',
      JSON.stringify({
        items: [{ id: 'PVTI_1', status: 'Done', content: { type: 'Issue', number: 12, title: 'Log in', body: '' } }],
      }),
      [['12', 'Log in', 'done', 1, [], []]],
    ],
    // Stories of another tool, not an export.
    [
      'prd.json',
      JSON.stringify({ userStories: [{ id: 'US-1', title: 'Log in', passes: true, content: { title: 'x' } }] }),
      [['US-1', 'Log in', 'done', 1, [], []]],
    ],
    ['plain.csv', 'title;status\nLog in;done\n', [[expect.stringMatching(/^log-in-/), 'Log in', 'done', 1, [], []]]],
    ['money.csv', 'date,amount\n2026-01-01,3\n', ['schema/no-stories']],
  ])('%s', (file, text, expected) => {
    expect(storiesIn(file, text)).toEqual(expected);
  });

  it('keep what has no field', () => {
    const bytes = new TextEncoder().encode(JIRA_CSV);
    const understood = understand({ file: 'jira.csv', bytes, reviews: null, repair: false });
    if ('problems' in understood) throw new Error('not read');
    expect(understood.stories[0]?.fields).toMatchObject({
      labels: ['auth', 'web'],
      description: 'As a user,\nso that "my" cart is kept',
      tracker: { 'Issue id': '10001', 'Issue Type': 'Story' },
    });
  });
});
