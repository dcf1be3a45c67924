import { openFeed, type RunFeed } from './feed.ts';

/** The runs that somebody looked at lately. */
export interface RunFeeds {
  /** Opens a run, or has it open still, and keeps it so for as long as the work takes. @throws StateError when its log cannot be read */
  readonly use: <T>(root: string, run: string, work: (feed: RunFeed) => Promise<T>) => Promise<T>;
  readonly beat: () => void;
  readonly close: () => Promise<void>;
}

/** Each holds a file open and a run in memory. */
const MOST = 16;

interface Entry {
  readonly feed: Promise<RunFeed>;
  users: number;
}

/** Keeps runs open between requests; beyond `most` those that nobody uses or watches are closed, the longest unseen first. */
export function openFeeds(most = MOST): RunFeeds {
  const open = new Map<string, Entry>();

  async function closeSome(): Promise<void> {
    for (const [key, entry] of open) {
      if (open.size <= most) return;
      const feed = await entry.feed.catch(() => null);
      if (entry.users > 0 || feed?.watched() || open.get(key) !== entry) continue;
      open.delete(key);
      await feed?.close();
    }
  }

  return {
    async use(root, run, work) {
      const key = `${root}\n${run}`;
      const entry = open.get(key) ?? { feed: openFeed(root, run), users: 0 };
      // Behind all others: a map keeps the order in which it was filled.
      open.delete(key);
      open.set(key, entry);
      entry.users += 1;
      try {
        return await work(await entry.feed);
      } catch (error) {
        // One that could not be opened, or whose file is gone, is opened anew next time.
        if (open.get(key) === entry) open.delete(key);
        void entry.feed.then((feed) => feed.close()).catch(() => {});
        throw error;
      } finally {
        entry.users -= 1;
        await closeSome();
      }
    },
    beat() {
      for (const { feed } of open.values()) void feed.then((one) => one.beat()).catch(() => {});
    },
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.allSettled(all.map(async ({ feed }) => (await feed).close()));
    },
  };
}
