import { REDACTED } from '../../../../platform/secrets.ts';
import type { Shape } from './redact-shape.ts';

/**
 * Tokens that tell what they are: the service, how they begin (case counts), and what follows. Written from what the
 * services document and from looking at real ones; scanners such as gitleaks know them the same way. A beginning that
 * ordinary words or base64 may hold too is `bare`: no letter or digit may stand before it.
 */
const TOKENS: readonly (readonly [service: string, head: string, rest: string, bare?: 'bare'])[] = [
  ['Anthropic', 'sk-ant-', String.raw`[\w-]{8,}`],
  // The digit tells them from names such as sk-learn-contrib.
  ['OpenAI, OpenRouter, DeepSeek', 'sk-', String.raw`(?=[A-Za-z_-]{0,64}\d)[\w-]{16,}`, 'bare'],
  ['GitHub', 'gh[pousr]_', '[A-Za-z0-9]{20,}'],
  ['GitHub, fine-grained', 'github_pat_', String.raw`\w{20,}`],
  ['GitLab', 'gl(?:pat|dt|rt|ft|cbt|ptt|agent|soat|oas|imt)-', String.raw`[\w-]{20,}`],
  ['Bitbucket', 'ATBB', '[A-Za-z0-9]{32}', 'bare'],
  ['Atlassian', 'AT[AC]TT3', '[A-Za-z0-9_=-]{60,}'],
  ['npm', 'npm_', '[A-Za-z0-9]{36,}'],
  ['PyPI', 'pypi-AgE', String.raw`[\w-]{16,}`],
  ['RubyGems', 'rubygems_', '[a-f0-9]{48}'],
  ['crates.io', 'cio', '[A-Za-z0-9]{32}(?![A-Za-z0-9+/=])', 'bare'],
  ['NuGet', 'oy2', '[a-z0-9]{43}(?![A-Za-z0-9+/=])', 'bare'],
  ['Clojars', 'CLOJARS_', '[a-z0-9]{60}'],
  ['Docker Hub', 'dckr_[po]at_', String.raw`[\w-]{20,}`],
  ['AWS', 'A(?:KIA|SIA|BIA|CCA)', '[A-Z0-9]{16}'],
  ['Google', 'AIza', String.raw`[\w-]{35}`],
  ['Google OAuth', 'GOCSPX-', String.raw`[\w-]{20,}`],
  ['Google OAuth', String.raw`ya29\.`, String.raw`[\w-]{20,}`],
  ['Google OAuth', '1//0', String.raw`[\w-]{40,}`, 'bare'],
  ['Azure', String.raw`[\w~.-]{3}\dQ~`, String.raw`[\w~.-]{31,34}`],
  ['DigitalOcean', 'do[opr]_v1_', '[a-f0-9]{64}'],
  ['Alibaba', 'LTAI', '[A-Za-z0-9]{16,24}(?![A-Za-z0-9+/=])', 'bare'],
  ['Tencent', 'AKID', '[A-Za-z0-9]{32}(?![A-Za-z0-9+/=])', 'bare'],
  ['Heroku', 'HRKU-AA', String.raw`[\w-]{40,}`],
  ['Fly.io', 'fo1_', String.raw`[\w-]{43}`],
  ['Fly.io', 'fm[12][ar]?_', '[A-Za-z0-9+/=]{60,}'],
  ['Cloudflare', String.raw`v1\.0-[a-f0-9]{24}-`, '[a-f0-9]{100,}'],
  ['Vault', String.raw`hv[sbr]\.`, String.raw`[\w-]{24,}`],
  ['Terraform Cloud', String.raw`[A-Za-z0-9]{14}\.atlasv1\.`, String.raw`[\w-]{40,}`],
  ['Doppler', String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.`, String.raw`[\w.-]{40,}`],
  ['Pulumi', 'pul-', '[a-f0-9]{40}'],
  ['Databricks', 'dapi', '[a-f0-9]{32}', 'bare'],
  ['PlanetScale', 'pscale_(?:tkn|pw|oauth)_', String.raw`[\w.=-]{32,}`],
  ['Supabase', 'sb(?:p|_secret)_', String.raw`[\w-]{20,}`],
  ['Slack', 'xox[abceoprs]-', '[A-Za-z0-9-]{10,}'],
  ['Slack', 'xapp-', String.raw`\d-[A-Za-z0-9-]{20,}`],
  ['Discord', String.raw`[MNO][\w-]{23,27}\.[\w-]{6}\.`, String.raw`[\w-]{27,40}`, 'bare'],
  ['Telegram', String.raw`\d{8,10}:AA`, String.raw`[\w-]{33}`],
  ['Stripe', '[sr]k_(?:live|test)_', '[A-Za-z0-9]{10,}'],
  ['Standard Webhooks, Stripe webhooks', 'whsec_', '[A-Za-z0-9+/]{16,}={0,2}'],
  ['Square', 'sq0(?:atp|csp)-', String.raw`[\w-]{22,}`],
  ['Shopify', 'shp(?:at|ca|pa|ss)_', '[a-fA-F0-9]{32}'],
  ['EasyPost', 'EZ[AT]K', '[A-Za-z0-9]{54}', 'bare'],
  ['SendGrid', String.raw`SG\.`, String.raw`[\w-]{16,}\.[\w-]{16,}`],
  ['Twilio', 'SK', '[0-9a-f]{32}(?![A-Za-z0-9+/=])', 'bare'],
  ['Mailgun', 'key-', '[0-9a-f]{32}(?![A-Za-z0-9])', 'bare'],
  ['Mailchimp', '[0-9a-f]{32}-us', String.raw`\d{1,2}(?!\w)`, 'bare'],
  ['Hugging Face', 'hf_', '[A-Za-z0-9]{30,}'],
  ['Hugging Face', 'api_org_', '[A-Za-z0-9]{30,}'],
  ['Groq', 'gsk_', '[A-Za-z0-9]{40,}'],
  ['xAI', 'xai-', '[A-Za-z0-9]{60,}'],
  ['Perplexity', 'pplx-', '[A-Za-z0-9]{32,}'],
  ['Replicate', 'r8_', '[A-Za-z0-9]{37}'],
  ['Notion', 'ntn_', '[A-Za-z0-9]{40,}'],
  ['Linear', 'lin_(?:api|oauth)_', '[A-Za-z0-9]{32,}'],
  ['Airtable', String.raw`pat[A-Za-z0-9]{14}\.`, '[a-f0-9]{64}', 'bare'],
  ['Figma', 'fig[durp]_', String.raw`[\w-]{40,}`],
  ['Postman', 'PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}'],
  ['New Relic', 'NR(?:AK|JS|II|IQ)-', '[A-Za-z0-9_-]{19,}'],
  ['Grafana', 'gl(?:c|sa)_', '[A-Za-z0-9+/_=]{32,}'],
  ['Sentry', 'sntry[su]_', '[A-Za-z0-9+/_=-]{40,}'],
  ['age', '(?:AGE-SECRET-KEY-|AGE-PLUGIN-[A-Z0-9-]{1,32}-)1', '[A-Z0-9]{20,}'],
  // Header and payload of a JSON Web Token are both base64 of `{"`.
  ['JSON Web Tokens', 'eyJ', String.raw`[\w-]{8,512}\.eyJ[\w-]{4,}(?:\.[\w-]+)?`],
];

/** In JSON text a token may follow the letter of an escape such as `\n`: that is no letter before it. */
const NOTHING_BEFORE = String.raw`(?<=^|[^A-Za-z0-9_+/-]|\\[nrt])`;

const tokens = (bare: boolean) =>
  TOKENS.filter(([, , , mark]) => (mark === 'bare') === bare).map(([, head, rest]) => `${head}${rest}`);

/** Tokens that are known by themselves. */
export const TOKEN_SHAPES: readonly Shape[] = [
  { pattern: new RegExp(tokens(false).join('|'), 'g'), replace: REDACTED },
  { pattern: new RegExp(`${NOTHING_BEFORE}(?:${tokens(true).join('|')})`, 'g'), replace: REDACTED },
];
