import { definePlugin } from '@ralph-loop/cli/plugin';

/** `ralph import jira:ENG#ready`: the open issues of a project in Jira Cloud with a label (default: ralph). */
export default definePlugin(({ options }) => ({
  name: 'jira',
  async importIssues(source) {
    const [, project, label = 'ralph'] = /^jira:([A-Za-z]\w*)(?:#([^"\\]+))?$/.exec(source) ?? [];
    if (project === undefined) return null; // the source of another plugin
    const { JIRA_EMAIL: email, JIRA_API_TOKEN: token } = process.env;
    if (!email || !token)
      throw new Error('set JIRA_EMAIL and JIRA_API_TOKEN: make a token in the settings of Atlassian');
    const authorization = `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}`;
    const issues = [];
    let nextPageToken = '';
    do {
      const query = new URLSearchParams({
        jql: `project = "${project}" AND labels = "${label}" AND statusCategory != Done ORDER BY created`,
        // Version 2 has the description as text; without `fields` there are only ids.
        fields: 'summary,description,labels,priority,creator',
        maxResults: '100',
        ...(nextPageToken && { nextPageToken }),
      });
      const response = await fetch(`${options.site}/rest/api/2/search/jql?${query}`, { headers: { authorization } });
      const page = await response.json().catch(() => ({}));
      if (!response.ok) throw new Error(`Jira says: ${page.errorMessages?.[0] ?? response.status}`);
      issues.push(...page.issues);
      nextPageToken = page.nextPageToken;
    } while (nextPageToken);
    return issues.map(({ key, fields }) => ({
      id: key,
      title: fields.summary,
      // Lists of Jira's notation become acceptance criteria.
      body: (fields.description ?? '').replace(/^\* /gm, '- [ ] '),
      url: `${options.site}/browse/${key}`,
      author: fields.creator?.displayName ?? '',
      labels: [fields.priority?.name, ...fields.labels].filter(Boolean),
    }));
  },
}));
