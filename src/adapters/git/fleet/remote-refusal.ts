import { GitRefusal } from '../../../contracts/errors.ts';

/** The remote of a fleet did not do what it was asked. */
export class RemoteRefusal extends GitRefusal {
  /** It may well do it a little later: the network, or two who came at once. */
  transient = true;
}

/** What no waiting mends. */
const FOR_GOOD =
  /permission (to .* )?denied|authentication failed|could not read (username|password)|access denied|not appear to be a git repository|repository .*not found|does not support --atomic|hook declined|protected branch|dubious ownership|unknown .*transport|unable to find remote helper/i;

export function trouble(url: string, doing: string, said: string): RemoteRefusal {
  const refusal = new RemoteRefusal({
    what: `git could not ${doing}: the remote of the fleet`,
    where: shownUrl(url),
    why: said.trim().split('\n').slice(-5).map(shownUrl).join('\n') || 'git said nothing',
    mend: [
      `try it as the same user on this machine: git ls-remote ${shownUrl(url)}`,
      'nobody can be asked for a password here: use a key, or a credential helper',
    ],
  });
  refusal.transient = !FOR_GOOD.test(said);
  return refusal;
}

/** Without a password that stands in it. */
export function shownUrl(text: string): string {
  return text.replace(/(:\/\/)[^@/\s]*@/g, '$1');
}
