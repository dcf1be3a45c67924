import type { GuardContext, GuardRules, GuardTest, SimpleCommand } from '../api.ts';
import { hasFlag, hasWord, operands, optionValues } from '../options.ts';
import { type Place, pathOf, placeOf } from '../paths.ts';
import { wordOf } from '../words.ts';
import { deletesOverHttp, feeders, isLocalHost, sourcesOfWords } from './matching/network.ts';
import { isSecretPath } from './matching/secrets.ts';
import { allOf, anyOf, forPrograms, isForTests, not, shapes } from './matching/shape.ts';

const RUNS = shapes('docker|podman|nerdctl run|create|exec', 'docker|podman|nerdctl container run|create|exec');

const REMOVES = shapes(
  'docker|podman|nerdctl rm|rmi|stop|kill|restart',
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
    matches: allOf(
      not(isForTests),
      shapes(
        'docker|podman|nerdctl compose down|rm -v|--volumes|--rmi',
        'docker-compose|podman-compose down|rm -v|--volumes|--rmi',
        'docker|podman|nerdctl volume rm|remove',
        'docker|podman rm -v|--volumes',
        'ddev|lando|devspace|skaffold delete|clean|destroy|purge',
        'tilt down',
      ),
    ),
  },
  'containers/host-rights': {
    reason: "This gives a container the machine's rights, devices or files.",
    alternative: 'Mount folders of the work tree only, and run without --privileged.',
    matches: takesHostRights,
  },
};

/** `gcloud GROUP… VERB`: the verb may come at any depth. */
const GCLOUD_VERB =
  /^(delete|remove-iam-policy-binding|add-iam-policy-binding|set-iam-policy|destroy|stop|reset|disable|undelete|purge)$/;

const AZURE_VERB = /^(delete|purge|deallocate|stop|remove|delete-batch|delete-source|disable|restart|cancel)$/;

/** An emulator or a cluster on this machine: `--endpoint-url=http://localhost:4566`, `--context kind-dev`. */
function staysHere({ args }: SimpleCommand): boolean {
  const values = args.map(({ text }) => text.replace(/^--[\w-]+=/, ''));
  return values.some(
    (text) => isLocalHost(text) || /^(kind|k3d)-|^(minikube|docker-desktop|rancher-desktop)$/.test(text),
  );
}

export const cloud: GuardRules = {
  'cloud/infrastructure-code': {
    reason: 'This changes or destroys real infrastructure.',
    alternative: 'Run plan, diff or preview, and leave applying to the user.',
    matches: shapes(
      'terraform|tofu|terragrunt destroy|force-unlock|taint',
      'terraform|tofu|terragrunt apply -destroy|-auto-approve|--terragrunt-non-interactive',
      'terraform|tofu state rm|mv|push|replace-provider',
      'terraform|tofu workspace delete',
      'terragrunt run-all|run destroy|apply',
      'pulumi destroy|down|dn|cancel',
      'pulumi stack|state rm|delete|unprotect',
      'pulumi up|update -y|--yes|-f|--skip-preview',
      'cdk|cdktf|cdklocal|vagrant|helmfile|sst|serverless|sls|sam|chalice|arc remove|delete|destroy',
      'helmfile apply|sync',
      'cdktf|sst|serverless|sls|sam deploy',
      'cdk deploy --require-approval|--all|--force',
      'copilot app|env|svc|job delete',
      'ansible|ansible-playbook *',
      'multipass|lxc|virsh delete|purge|destroy|undefine|vol-delete',
      'VBoxManage unregistervm',
    ),
  },
  'cloud/kubernetes': {
    reason: 'This removes or stops something in a cluster.',
    alternative: 'Look with get, describe or diff, and leave changes to the user.',
    matches: anyOf(
      forPrograms('kubectl oc k', (command) => hasWord(command, /replicas"?:\s*0\b/)),
      'kubectl|oc|k|kubecolor|microk8s.kubectl delete|drain|cordon|evict|taint',
      'kubectl|oc|k replace --force',
      'kubectl|oc|k scale --replicas',
      'kubectl|oc|k rollout undo|restart|pause',
      'kubectl|oc|k apply --prune',
      'helm uninstall|delete|del|un|rollback',
      'helm repo remove',
      'argocd app|appset|cluster|proj delete|rm|rollback|terminate-op',
      'flux|istioctl|linkerd uninstall|delete|suspend',
      'k3d|kind|minikube|vault|etcdctl delete|del',
      'k3d cluster delete',
      'eksctl|kops|talosctl|rke|kubeadm delete|reset|remove|destroy',
      'velero backup|schedule delete',
      'nomad job|system stop|purge|gc',
      'consul|vault kv delete|destroy|metadata',
      'vault secrets|auth disable',
      'oc adm drain|prune',
    ),
  },
  'cloud/amazon': {
    reason: 'This deletes or stops something in an AWS account.',
    alternative: 'Look with list, ls or describe, and leave changes to the user.',
    matches: shapes(
      'aws|awslocal s3 rb|rm|mv',
      'aws s3 sync --delete',
      'aws * delete-*|terminate-*|deregister-*|remove-*|stop-*',
      'aws * purge-*|disable-*|detach-*|revoke-*|reset-*|reboot-*|cancel-*|schedule-key-deletion|abort-*|release-*',
      'aws iam create-*|attach-*|put-*|add-*|update-*',
      'aws * put-bucket-policy|put-bucket-acl|modify-*|batch-delete*|empty-*',
      's3cmd|s5cmd|mc del|rb|rm|expire|mirror',
      'eb terminate',
      'aws-nuke|cloud-nuke *',
      'amplify delete|remove|push|publish',
      'aws ec2 authorize-*',
    ),
  },
  'cloud/google-azure': {
    reason: 'This deletes or changes something in a cloud account.',
    alternative: 'Look with list, describe or show, and leave changes to the user.',
    matches: anyOf(
      'gsutil|bq|azcopy rm|rb|mv|remove',
      'gsutil rsync -d',
      'gcloud storage rm|rb|mv',
      'gsutil iam|acl ch|set',
      'firebase *:delete|*:disable|deploy',
      'gcloud app|run|functions deploy',
      forPrograms('gcloud', (command) => hasWord(command, GCLOUD_VERB)),
      forPrograms('az', (command) => hasWord(command, AZURE_VERB)),
    ),
  },
  'cloud/platforms': {
    reason: 'This removes, stops or releases something on a hosting platform.',
    alternative: 'Look with list, status or logs, and leave changes to the user.',
    matches: shapes(
      'heroku *:destroy|*:delete|*:remove|*:reset|*:unset|*:off|*:rollback|*:transfer|*:stop|*:kill|*:promote',
      'fly|flyctl destroy|deploy|suspend',
      'fly|flyctl apps|app|machine|machines|m|volumes|vol|pg|postgres|secrets destroy|delete|rm|remove|unset',
      'fly|flyctl machine stop|kill',
      'vercel|vc|now remove|rm|rollback|promote|redeploy',
      'vercel|vc|now --prod|--production',
      'vercel|vc env|domains|dns|project|alias|teams|secrets rm|remove',
      'netlify sites:delete|unlink|env:unset',
      'netlify deploy --prod|-p',
      'wrangler delete|rollback|deploy|publish',
      'wrangler kv|d1|r2|queues|secret|pages|kv:namespace|kv:key * delete',
      'wrangler d1|r2|secret|queues|kv:namespace|kv:key delete',
      'wrangler secret|pages put|deploy|publish',
      'scw|ibmcloud * * delete|rm|terminate|stop',
      'doctl compute|kubernetes|k8s|databases|db|apps|registry|projects|vpcs * delete|rm|d',
      'doctl apps|databases|projects|vpcs delete|rm',
      'hcloud|linode-cli|vultr-cli|scw|ibmcloud * delete|rm|terminate|poweroff|reset|rebuild|shutdown|stop',
      'openstack|sentry-cli|stripe|auth0|confluent|neonctl|neon|pscale|atlas * delete|drop|reset|terminate',
      'oci * * delete|terminate',
      'railway|nova|surge down|delete|up|teardown',
      'render services|deploys delete|create',
      'supabase db reset|push',
      'supabase projects|branches|functions|secrets delete|unset',
      'supabase stop --no-backup',
      'turso db|group destroy',
      'convex deploy',
      'eas submit|update|channel:delete',
      'cf delete|d|delete-*|unbind-*|stop',
      'dokku|upsun|platform *:destroy|*:delete',
      'rclone delete|purge|deletefile|rmdirs|sync|move|cleanup',
    ),
  },
  'cloud/changes': {
    reason: 'This changes something that is live.',
    alternative: 'Run plan, diff or --dry-run, and leave the change itself to the user.',
    profiles: ['run'],
    matches: allOf(
      anyOf(
        'terraform|tofu|terragrunt apply|import',
        'cdk|chalice|eb|copilot|skaffold|vercel|vc|netlify deploy',
        'skaffold run',
        'packer build',
        'kubectl|oc|k|kubecolor apply|create|patch|edit|set|label|annotate|expose|autoscale|replace|scale|run',
        'helm install|upgrade',
        'argocd app sync|create|set',
        'flux create|reconcile|resume',
        'aws * create-*|update-*|put-*|change-*|modify-*|start-*|run-*|deploy|invoke|publish*|register-*|attach-*|import-*',
        'aws s3 mb|website|presign',
        'az webapp|functionapp up|deploy|deployment',
        'fly|flyctl secrets|scale|volumes set|import|count|vm|create',
        'heroku config:set|config:add|container:release|ps:scale|addons:create|domains:add|pg:push',
        'vercel|netlify|railway|render env|env:set|variables add|--set',
        'salt|salt-ssh|cap *',
        forPrograms('vercel vc', (command) => operands(command).length === 0 && !hasFlag(command, 'v', 'version')),
        forPrograms('gcloud az', (command) =>
          hasWord(command, /^(create|update|deploy|apply|set|add|import|start|enable)$/),
        ),
      ),
      (command) => !staysHere(command) && !hasFlag(command, '-help'),
    ),
  },
  'cloud/http-delete': {
    reason: 'This deletes something on another machine over HTTP.',
    alternative: 'Try it against a local server; leave remote data to the user.',
    matches: forPrograms('curl wget http https xh xhs', deletesOverHttp),
  },
};
