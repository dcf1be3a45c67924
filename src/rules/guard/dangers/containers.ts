import type { GuardContext, GuardRules, GuardTest, SimpleCommand } from '../api.ts';
import { hasFlag, optionValues } from '../options.ts';
import { type Place, pathOf, placeOf } from '../paths.ts';
import { wordOf } from '../words.ts';
import { feeders, sourcesOfWords } from './matching/network.ts';
import { isSecretPath } from './matching/secrets.ts';
import { allOf, anyOf, shapes } from './matching/shape.ts';

const RUNS = shapes('docker|podman|nerdctl run|create|exec', 'docker|podman|nerdctl container run|create|exec');

const REMOVES = shapes(
  'docker|podman|nerdctl rm|rmi|stop|kill',
  'docker|podman|nerdctl container|image|volume|network rm|remove|stop|kill',
);

/** `docker ps -aq` and similar: lists everything. */
const listsAll: GuardTest = allOf(
  shapes('docker|podman|nerdctl ps|images', 'docker|podman|nerdctl container|image|volume|network ls|list'),
  (command) => !hasFlag(command, 'f', 'filter'),
);

const removesAll: GuardTest = (command, context, script) => {
  if (!REMOVES(command, context, script)) return false;
  if (hasFlag(command, 'a', 'all')) return true;
  const names = [...sourcesOfWords(command, script), ...(command.via.includes('xargs') ? feeders(command) : [])];
  return names.some((lister) => listsAll(lister, context, script));
};

/** The host paths that a container sees: `-v SOURCE:TARGET`, `--mount type=bind,source=SOURCE,…`. */
function mountSources(command: SimpleCommand): readonly string[] {
  const volumes = optionValues(command, 'v', 'volume').map(({ text }) => text.split(':')[0] ?? '');
  const mounts = optionValues(command, 'mount').map(
    ({ text }) => /(?:^|,)(?:source|src)=([^,]*)/.exec(text)?.[1] ?? '',
  );
  return [...volumes, ...mounts].filter((source) => /^[/~.]/.test(source));
}

const DELICATE: readonly Place[] = ['system', 'home-itself'];
const HARMLESS_MOUNT =
  /^\/(etc\/(localtime|timezone|ssl\/certs|passwd|group)|usr\/share|opt|srv|mnt|media|var\/lib\/\w+-data)(\/|$)/;

function mountsDelicate(command: SimpleCommand, context: GuardContext): boolean {
  return mountSources(command).some((source) => {
    const path = pathOf(wordOf(source), command, context);
    if (path === null || HARMLESS_MOUNT.test(path)) return false;
    return isSecretPath(path, context) || DELICATE.includes(placeOf(path, context));
  });
}

const takesHostRights: GuardTest = (command, context, script) =>
  RUNS(command, context, script) &&
  (hasFlag(command, 'privileged', 'device') ||
    command.args.some(({ text }, at) =>
      HOST_RIGHT.test(/^--[\w-]+$/.test(text) ? `${text}=${command.args[at + 1]?.text}` : text),
    ) ||
    mountsDelicate(command, context));

const HOST_RIGHT =
  /^--((pid|ipc|uts|userns|cgroupns)=host|cap-add=(CAP_)?(ALL|SYS_\w+|NET_ADMIN|DAC_\w+|SETUID)|security-opt=(\w+[=:]unconfined|label[=:]disable))$/i;

export const containers: GuardRules = {
  'containers/prune': {
    reason: 'This deletes containers, images or volumes that others use.',
    alternative: 'Remove the one container or volume you made, by name.',
    matches: anyOf(
      'docker|podman|nerdctl system|volume|image|container|network|builder|buildx|pod prune',
      'podman system reset|migrate',
      'docker|podman machine|context rm|reset',
      'docker swarm|node|stack|service|secret|config leave|rm|remove',
      'colima|lima|limactl|orb delete|prune|reset',
      'crictl rm|rmi|rmp|stopp -a|--all|-f|--prune',
      'ctr * rm|delete',
      'podman pod rm|kill|stop -a|--all',
      'buildah rm|rmi|prune -a|--all',
      'docker-machine rm',
      removesAll,
    ),
  },
  'containers/volumes': {
    reason: 'This deletes the data of a database or service that a container keeps.',
    alternative: 'Stop without deleting: docker compose stop, or down without -v.',
    matches: shapes(
      'docker|podman|nerdctl compose down|rm -v|--volumes|--rmi',
      'docker-compose|podman-compose down|rm -v|--volumes|--rmi',
      'docker|podman|nerdctl volume rm|remove',
      'docker|podman rm -v|--volumes',
      'ddev|lando|devspace|skaffold delete|clean|destroy|purge',
      'tilt down',
    ),
  },
  'containers/host-rights': {
    reason: "This gives a container the machine's rights, devices or files.",
    alternative: 'Mount folders of the work tree only, and run without --privileged.',
    matches: takesHostRights,
  },
};
