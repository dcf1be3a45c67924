import { definePlugin } from '@ralph-loop/cli/plugin';

const QUERY = `query ($team: String!, $label: String!) {
  issues(
    first: 100
    filter: {
      team: { key: { eq: $team } }
      labels: { name: { eq: $label } }
      state: { type: { in: ["triage", "backlog", "unstarted", "started"] } }
    }
  ) {
    nodes { identifier title description url priorityLabel creator { name } labels { nodes { name } } }
  }
}`;

/** `ralph import linear:ENG#ready`: the open issues of a team with a label (default: ralph). */
export default definePlugin(({ options }) => ({
  name: 'linear',
  async importIssues(source) {
    const [, team, label = 'ralph'] = /^linear:([A-Za-z0-9]+)(?:#(.+))?$/.exec(source) ?? [];
    if (team === undefined) return null; // the source of another plugin
    const key = process.env.LINEAR_API_KEY;
    if (!key) throw new Error('LINEAR_API_KEY is not set: make a personal API key in the settings of Linear');
    const response = await fetch(options.url ?? 'https://api.linear.app/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: key },
      body: JSON.stringify({ query: QUERY, variables: { team, label } }),
    });
    const { data, errors } = await response.json();
    if (errors?.length > 0) throw new Error(`Linear says: ${errors[0].message}`);
    return data.issues.nodes.map((issue) => ({
      id: issue.identifier,
      title: issue.title,
      body: issue.description ?? '',
      url: issue.url,
      author: issue.creator?.name ?? '',
      labels: [issue.priorityLabel, ...issue.labels.nodes.map(({ name }) => name)].filter(Boolean),
    }));
  },
}));
