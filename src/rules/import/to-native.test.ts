import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { nativeText, understoodText } from './import.fixture.ts';

const words = fc.stringMatching(/^[A-Za-z][a-z]{0,8}( [a-z]{1,8}){0,4}$/);
const story = fc.record({
  title: words,
  description: words,
  acceptanceCriteria: fc.array(words, { maxLength: 3 }),
  priority: fc.integer({ min: 1, max: 9 }),
  passes: fc.boolean(),
});

describe('what comes out of an import', () => {
  it('numbers stories without an id, and keeps the ids that there are', () => {
    const text = '- [ ] Log in\n- [ ] T-7: Log out\n- [x] Pay\n';
    const { stories } = nativeText('plan.md', text);
    expect(stories.map(({ id, notes }) => [id, notes])).toEqual([
      ['US-001', ''],
      ['T-7', ''],
      ['US-003', ''],
    ]);
  });

  it('has the stories of any document, in order, with criteria, dependencies and what is done', () => {
    fc.assert(
      fc.property(
        fc.array(story, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('userStories', 'tasks'),
        (given, name) => {
          const items = given.map((each, at) => ({
            id: `S ${at}`,
            ...each,
            depends_on: at > 0 ? [`S ${at - 1}`] : [],
          }));
          const { stories, understood } = nativeText('prd.json', JSON.stringify({ [name]: items }));
          const read = understood.stories.map((each) => each.story);
          expect(stories.map(({ title, passes, priority }) => ({ title, passes, priority }))).toEqual(
            read.map(({ title, passes, priority }) => ({ title, passes, priority })),
          );
          expect(stories.map((each) => each.passes)).toEqual(given.map((each) => each.passes));
          expect(stories.map((each) => each.acceptanceCriteria)).toEqual(
            read.map((each) => (each.acceptanceCriteria.length > 0 ? each.acceptanceCriteria : [each.title])),
          );
          expect(stories.map((each) => each.dependsOn)).toEqual(
            stories.map((_, at) => (at > 0 ? [stories[at - 1]?.id] : [])),
          );
          expect(new Set(stories.map((each) => each.id)).size).toBe(given.length);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('has the stories of any Markdown plan', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(words, fc.boolean(), fc.array(words, { maxLength: 3 })), { minLength: 1, maxLength: 8 }),
        (given) => {
          const lines = given.flatMap(([title, done, criteria]) => [
            `- [${done ? 'x' : ' '}] ${title}`,
            ...criteria.map((criterion) => `  - ${criterion}`),
          ]);
          const { stories } = nativeText('plan.md', `# Plan\n\n${lines.join('\n')}\n`);
          expect(stories.map((each) => each.title)).toEqual(given.map(([title]) => title));
          expect(stories.map((each) => each.passes)).toEqual(given.map(([, done]) => done));
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('keeps fields without a place under their own names, and says in notes what clashes with ours', () => {
    const raw = {
      id: 3,
      name: 'Log in',
      status: 'in_progress',
      priority: 'high',
      steps: ['open it'],
      owner: 'una',
      size: { points: 3 },
    };
    const { json } = nativeText(
      'prd.json',
      JSON.stringify({ tasks: [raw, { id: 4, name: 'Log out', status: 'done' }] }),
    );
    const [first, second] = json['userStories'] as Record<string, unknown>[];
    expect(first).toMatchObject({
      id: '3',
      title: 'Log in',
      passes: false,
      reviewStatus: null,
      owner: 'una',
      size: { points: 3 },
    });
    expect(first?.['notes']).toContain('status: in_progress');
    expect(first?.['notes']).toContain('priority: high');
    expect(first).not.toHaveProperty('name');
    expect(second).toMatchObject({ passes: true, notes: '' });
  });

  it('keeps what the document says around its stories', () => {
    const { json } = nativeText(
      'prd.json',
      JSON.stringify({
        version: '2.0',
        tech: { db: 'sqlite' },
        phases: [{ name: 'First', goal: 'to see it', tasks: [{ id: 'A', title: 'Do a', done: false }] }],
      }),
    );
    expect(json).toMatchObject({
      tech: { db: 'sqlite' },
      imported: { version: '2.0' },
      phases: [{ name: 'First', goal: 'to see it', tasks: ['A'] }],
      verifyCommands: ['npm test'],
    });
  });

  it('takes prose out of a plan and tells under which heading a story stood', () => {
    const { native, json } = nativeText(
      'plan.md',
      '# Shop\n\nIt sells tea.\n\n## Later\n\n- [ ] Log out\n  - [x] the button is there\n',
    );
    expect(native.prose).toContain('It sells tea.');
    expect(native.prose).not.toContain('Log out');
    const [first] = json['userStories'] as Record<string, unknown>[];
    expect(first).toMatchObject({ section: 'Later', notes: 'ticked in the plan: the button is there' });
  });

  it('maps ids that no branch can have, lets dependencies follow, and says so', () => {
    const tasks = [
      { id: 'a b', title: 'First', passes: false },
      { id: 'B', title: 'Second', passes: false, dependsOn: ['a b'] },
    ];
    const { stories, native } = nativeText('prd.json', JSON.stringify({ tasks }));
    expect(stories[0]?.id).toMatch(/^a-b-/);
    expect(stories[1]?.dependsOn).toEqual([stories[0]?.id]);
    expect(native.warnings[0]).toContain(`'a b'`);
    expect(stories[0]?.notes).toBe('id: a b');
  });

  it('leaves a native backlog under another name as it is, byte for byte', () => {
    const text =
      '{"project":"p","branchName":"ralph/p","verifyCommands":["true"],"userStories":[\n{"id":"A b","title":"T","acceptanceCriteria":["c"],"priority":1,"passes":false,"reviewStatus":"needs_review","reviewCount":1}]}';
    expect(nativeText('old.json', text).native.text).toBe(text);
  });

  it('has no text that plays tricks on terminals', () => {
    const story = {
      id: 'A',
      title: '\u001b[31mRed\u0007 door',
      notes: 'one\u0000\ntwo\u202e',
      owner: 'una\u001b[0m',
      passes: false,
    };
    const { stories, json } = nativeText('prd.json', JSON.stringify({ userStories: [story] }));
    expect(stories[0]).toMatchObject({ title: 'Red door', notes: 'one\ntwo' });
    expect(json).toMatchObject({ userStories: [{ owner: 'una' }] });
  });

  it('is told of missing criteria in one line, however many stories have none', () => {
    const tasks = Array.from({ length: 9 }, (_, at) => ({ id: `T${at}`, title: `Task ${at}`, done: at === 0 }));
    const { native } = nativeText('prd.json', JSON.stringify({ tasks }));
    expect(native.warnings).toEqual([
      'no acceptance criteria in 8 of 8 open stories; the title is used instead, write better ones',
    ]);
  });
});

describe('reading', () => {
  it('goes by the content where the name says nothing', () => {
    expect(understoodText('backlog', '{"tasks":[{"title":"a","done":true}]}').shape).toBe('tasks');
    expect(understoodText('TODO', '- [ ] a\n').format).toBe('markdown');
    expect(
      understoodText('export.jsonl', '{"id":1,"title":"a","status":"open"}\n{"id":2,"title":"b","status":"closed"}\n')
        .stories,
    ).toHaveLength(2);
  });

  it('takes the tag that Task Master says is current, and tells what it leaves out', () => {
    const task = (id: number) => ({ id, title: `t${id}`, status: 'pending' });
    const tags = JSON.stringify({ master: { tasks: [task(1)] }, auth: { tasks: [task(1), task(2)] } });
    const { stories, warnings, shape } = understoodText('tasks.json', tags, false, '{"currentTag":"auth"}');
    expect([stories.length, shape]).toEqual([2, 'auth.tasks']);
    expect(warnings[0]).toContain('1 entry under master.tasks is left out: the current list is auth.tasks');
    expect(understoodText('tasks.json', tags).shape).toBe('master.tasks');
  });

  it('keeps entries that are archived, but not as stories', () => {
    const archived = { id: 'B', title: 'b', status: 'archived', owner: 'una' };
    const { json, stories } = nativeText(
      'prd.json',
      JSON.stringify({ tasks: [{ id: 'A', title: 'a', status: 'open' }, archived] }),
    );
    expect(stories.map(({ id }) => id)).toEqual(['A']);
    expect(json['leftOut']).toEqual([archived]);
  });

  it('repairs only when it is asked to, and says what it did', () => {
    const broken = '{"tasks":[{"title":"a","done":true},]}';
    expect(() => understoodText('prd.json', broken)).toThrow('--repair');
    expect(understoodText('prd.json', broken, true).warnings[0]).toMatch(/^repaired: line 1/);
  });

  it('never throws on garbage', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('a.json', 'a.md', 'a', 'tasks.json', 'a.jsonl'), (text, file) => {
        expect(() => understoodOrProblems(file, text)).not.toThrow(TypeError);
      }),
      { numRuns: runs(200) },
    );
  });
});

function understoodOrProblems(file: string, text: string): void {
  try {
    understoodText(file, text);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('[{')) throw error;
  }
}
