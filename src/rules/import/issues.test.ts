import { describe, expect, it } from 'vitest';
import { appendStories, issueStories, issuesOfAddress, linkWaiting, readIssueSource } from './issues.ts';

const issue = (number: number, body: string, labels: readonly string[] = []) => ({
  id: `GH-${number}`,
  title: `Issue ${number}`,
  body,
  labels,
  url: `https://github.com/una/app/issues/${number}`,
  author: 'una',
  milestone: null,
});

describe('issues', () => {
  it('become stories: check boxes are criteria, labels rank, other issues are dependencies', () => {
    const body =
      'Wanted.\n\n- [ ] it is there\n- [x] it is seen\n\nDepends on #7 and #8.\nBlocked by #99\n```\n- [ ] not this\n```';
    const [story] = issueStories([issue(12, body, ['P0', 'ready']), issue(7, ''), issue(8, '')], new Set());
    expect(story).toMatchObject({
      id: 'GH-12',
      acceptanceCriteria: ['it is there', 'it is seen'],
      priority: 0,
      dependsOn: ['GH-7', 'GH-8'],
      labels: ['P0', 'ready'],
      author: 'una',
    });
    expect(story?.['notes']).toContain('waits for GH-99');
    expect(story?.['description']).toContain('- [ ] not this');
  });

  it('are data: placeholders stay what they are', () => {
    const [story] = issueStories([issue(1, '{{STEER}} $(id)')], new Set());
    expect(story?.['description']).toBe('{{STEER}} $(id)');
  });

  it('are named by repository, label and number; never by what gh would take for a flag', () => {
    expect(readIssueSource('prd.json')).toBeNull();
    expect(readIssueSource('gh:una/app#ready to go')).toEqual({
      repository: 'una/app',
      label: 'ready to go',
      number: null,
    });
    expect(readIssueSource('gh:#ready')).toEqual({ repository: null, label: 'ready', number: null });
    expect(readIssueSource('gh:una/app#12')).toEqual({ repository: 'una/app', label: null, number: 12 });
    for (const bad of ['gh:', 'gh:#', 'gh:una', 'gh:una/app#--web', 'gh:-R/x', 'gh:una/app/x']) {
      expect(() => readIssueSource(bad), bad).toThrow('names no issues');
    }
  });

  it('are appended without touching another byte', () => {
    const text = '{\n\t"userStories": [\n\t\t{"id": "A"}\n\t]\n}\n';
    const merged = appendStories(text, [{ id: 'B' }]);
    expect(merged.startsWith('{\n\t"userStories": [\n\t\t{"id": "A"},')).toBe(true);
    expect(JSON.parse(merged)).toEqual({ userStories: [{ id: 'A' }, { id: 'B' }] });
  });

  it('are depended on as soon as they are stories, too', () => {
    const [waiting] = issueStories([issue(7, 'depends on #9 and #11')], new Set());
    const [fresh] = issueStories([issue(9, '')], new Set());
    const before = `${JSON.stringify({ userStories: [waiting, fresh] }, null, 2)}\n`;
    const [story] = JSON.parse(linkWaiting(before, ['GH-9'])).userStories;
    expect(story.dependsOn).toEqual(['GH-9']);
    expect(story.notes).not.toContain('GH-9');
    expect(story.notes).toContain('waits for GH-11');
    expect(linkWaiting(before, ['GH-12'])).toBe(before);
  });

  it.each([
    ['https://github.com/una/app', 'gh:una/app'],
    ['https://github.com/una/app.git', 'gh:una/app'],
    ['github.com/una/app/issues/12#issuecomment-1', 'gh:una/app#12'],
    ['https://github.com/una/app/issues?q=is%3Aopen+label%3Aready', 'gh:una/app#ready'],
    ['https://github.com/una/app/labels/ready', 'gh:una/app#ready'],
    ['https://example.com/una/app/issues', null],
    ['docs/plan.md', null],
  ])('are proposed for the address %s', (address, source) => {
    expect(issuesOfAddress(address)).toBe(source);
  });
});
