import type { GuardCategory } from '../api.ts';
import { deletesOverHttp } from './matching/network.ts';
import { shapes } from './matching/shape.ts';
import { anyOf, forPrograms } from './matching/tests.ts';

/** `gcloud GROUP… VERB`: the verb may stand at any depth. */
const GCLOUD_VERB =
  /^(delete|remove-iam-policy-binding|add-iam-policy-binding|set-iam-policy|destroy|stop|reset|disable|undelete|purge)$/;

const AZURE_VERB = /^(delete|purge|deallocate|stop|remove|delete-batch|delete-source|disable|restart|cancel)$/;

export const cloud: GuardCategory = {
  id: 'cloud',
  title: 'Cloud and infrastructure',
  rules: [
    {
      id: 'cloud/infrastructure-code',
      reason: 'This changes or destroys real infrastructure.',
      alternative: 'Run plan, diff or preview, and leave applying to the person.',
      matches: shapes(
        'terraform|tofu|terragrunt destroy',
        'helmfile destroy|delete|apply|sync',
        'terraform|tofu|terragrunt apply -destroy',
        'terraform|tofu force-unlock|taint',

        'terraform|tofu|terragrunt apply -auto-approve|--terragrunt-non-interactive',
        'terraform|tofu state rm|mv|push|replace-provider',

        'terraform|tofu workspace delete',
        'terragrunt run-all|run destroy|apply',
        'pulumi destroy|down|dn|cancel',
        'pulumi stack rm',

        'pulumi state delete|unprotect',
        'pulumi up|update -y|--yes|-f|--skip-preview',
        'cdk|cdktf|cdklocal destroy',
        'cdktf deploy',

        'cdk deploy --require-approval|--all|--force',
        'sst|serverless|sls|chalice|arc remove|delete|destroy',
        'copilot app|env|svc|job delete',

        'sam delete',
        'vagrant destroy',
        'ansible|ansible-playbook * !--check !-C !--syntax-check !--list-hosts !--list-tasks !--list-tags',

        'sst|serverless|sls|sam deploy',
        'multipass|lxc delete|purge',
        'virsh destroy|undefine|vol-delete',
        'VBoxManage unregistervm',
      ),
      examples: {
        block: [
          'terraform destroy',
          'terraform -chdir=infra apply -auto-approve',
          'pulumi up --yes',
          'cdk destroy --all',
          'tofu state rm x.y',
        ],
        allow: ['terraform plan', 'terraform init', 'pulumi preview', 'cdk diff', 'terraform validate'],
      },
    },
    {
      id: 'cloud/kubernetes',
      reason: 'This removes or stops something in a cluster.',
      alternative: 'Look with get, describe or diff, and leave changes to the person.',
      matches: shapes(
        'kubectl|oc|k|kubecolor|microk8s.kubectl delete|drain|cordon|evict|taint',
        'kubectl|oc|k replace --force',
        'kubectl|oc|k scale --replicas',

        'kubectl|oc|k rollout undo|restart|pause',
        'kubectl|oc|k apply --prune',
        'helm uninstall|delete|del|un|rollback',

        'helm repo remove',
        'argocd app|appset|cluster|proj delete|rm|rollback|terminate-op',
        'flux uninstall|delete|suspend',

        'k3d|kind|minikube delete',
        'k3d cluster delete',
        'kind delete',
        'eksctl|kops|talosctl|rke delete|reset|remove|destroy',

        'kubeadm reset',
        'istioctl uninstall',
        'velero backup|schedule delete',
        'linkerd uninstall',
        'nomad job stop|purge',
        'nomad system gc',
        'consul kv delete',
        'etcdctl del',
        'vault delete',
        'vault kv delete|destroy|metadata',
        'vault secrets|auth disable',
        'oc adm drain|prune',
      ),
      examples: {
        block: [
          'kubectl delete ns prod',
          'kubectl -n prod delete pod --all',
          'kubectl drain node-1',
          'helm uninstall app',
          'kubectl scale deploy/api --replicas=0',
        ],
        allow: [
          'kubectl get pods',
          'kubectl delete pod x --dry-run=client',
          'helm list',
          'kubectl logs deploy/api',
          'helm template chart',
        ],
      },
    },
    {
      id: 'cloud/amazon',
      reason: 'This deletes or stops something in an AWS account.',
      alternative: 'Look with list, ls or describe, and leave changes to the person.',
      matches: shapes(
        'aws|awslocal s3 rb',
        'aws s3 rm|mv',
        'aws s3 sync --delete',
        'aws * delete-*|terminate-*|deregister-*|remove-*|stop-*',

        'aws * purge-*|disable-*|detach-*|revoke-*|reset-*|reboot-*|cancel-*|schedule-key-deletion|abort-*|release-*',

        'aws iam create-*|attach-*|put-*|add-*|update-*',
        'aws * put-bucket-policy|put-bucket-acl|modify-*|batch-delete*|empty-*',
        's3cmd del|rb|rm|expire',
        's5cmd rm|rb',
        'mc rm|rb|mirror',
        'eb terminate',
        'aws-nuke *',
        'cloud-nuke *',
        'amplify delete|remove',
        'aws ec2 authorize-*',
      ),
      examples: {
        block: [
          'aws s3 rb s3://bucket --force',
          'aws s3 rm s3://bucket/x --recursive',
          'aws ec2 terminate-instances --instance-ids i-1',
          'aws --profile p rds delete-db-instance --db-instance-identifier x',
        ],
        allow: [
          'aws s3 ls',
          'aws ec2 describe-instances',
          'aws sts get-caller-identity',
          'aws s3 rm s3://b/x --dryrun',
        ],
      },
    },
    {
      id: 'cloud/google-azure',
      reason: 'This deletes or changes something in a cloud account.',
      alternative: 'Look with list, describe or show, and leave changes to the person.',
      matches: anyOf(
        shapes(
          'gsutil rm|rb|mv',
          'gsutil rsync -d',
          'gcloud storage rm|rb|mv',
          'bq rm|remove',
          'gsutil iam|acl ch|set',
          'firebase *:delete',
        ),
        shapes('firebase *:disable|firestore:delete|deploy', 'gcloud app|run|functions deploy', 'azcopy remove|rm'),
        forPrograms('gcloud', ({ args }) => args.some(({ text }) => GCLOUD_VERB.test(text))),
        forPrograms('az', ({ args }) => args.some(({ text }) => AZURE_VERB.test(text))),
      ),
      examples: {
        block: [
          'gsutil -m rm -r gs://bucket',
          'gcloud projects delete p1',
          'gcloud compute instances delete vm --quiet',
          'az group delete -n rg --yes',
          'bq rm -r -f ds',
        ],
        allow: ['gcloud projects list', 'gsutil ls', 'az group list', 'gcloud config list'],
      },
    },
    {
      id: 'cloud/platforms',
      reason: 'This removes, stops or releases something on a hosting platform.',
      alternative: 'Look with list, status or logs, and leave changes to the person.',
      matches: shapes(
        'heroku *:destroy|*:delete|*:remove|*:reset|*:unset|*:off|*:rollback|*:transfer|*:stop|*:kill',
        'heroku pipelines:promote',

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
        'wrangler d1|r2|secret|queues delete',

        'doctl compute|kubernetes|k8s|databases|db|apps|registry|projects|vpcs * delete|rm|d',
        'doctl apps|databases|projects|vpcs delete|rm',

        'hcloud * delete|poweroff|reset|rebuild|shutdown',
        'linode-cli * delete|rm|shutdown',
        'vultr-cli * delete',
        'scw * delete|terminate|stop',

        'ibmcloud * delete|rm',
        'oci * * delete|terminate',
        'railway down|delete|up',
        'render services|deploys delete|create',
        'surge teardown',

        'supabase db reset|push',
        'supabase projects|branches|functions|secrets delete|unset',
        'supabase stop --no-backup',
        'neonctl|neon * delete|reset',

        'pscale * delete|drop',
        'turso db|group destroy',
        'atlas * delete|terminate',
        'convex deploy',
        'eas submit|update|channel:delete',

        'cf delete|d|delete-*|unbind-*|stop',
        'dokku *:destroy',
        'openstack * delete',
        'nova delete',
        'upsun|platform *:delete',

        'sentry-cli * delete',
        'stripe * delete',
        'auth0 * delete',
        'confluent * delete',
        'rclone delete|purge|deletefile|rmdirs|sync|move|cleanup',
      ),
      examples: {
        block: [
          'heroku apps:destroy --app x',
          'fly apps destroy x',
          'vercel remove x --yes',
          'doctl compute droplet delete 12',
          'hcloud server delete x',
        ],
        allow: ['heroku logs --tail', 'fly status', 'vercel ls', 'doctl compute droplet list', 'wrangler dev'],
      },
    },
    {
      id: 'cloud/http-delete',
      reason: 'This deletes something on another machine over HTTP.',
      alternative: 'Try it against a local server; leave remote data to the person.',
      matches: forPrograms('curl wget http https xh xhs', deletesOverHttp),
      examples: {
        block: [
          'curl -X DELETE https://api.example.org/v1/users/1',
          'curl --request DELETE https://es.example.org/idx',
          'http DELETE https://api.example.org/x',
        ],
        allow: [
          'curl -X DELETE http://localhost:3000/users/1',
          'curl https://api.example.org/deleted',
          'curl -X DELETE http://127.0.0.1:8080/x',
        ],
      },
    },
  ],
};
