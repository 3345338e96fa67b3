import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BOUNDS, type Bound } from '../domain/bounds/bounds.ts';
import { inRepository } from '../test/builders/compose-file.ts';
import { productionFiles } from '../test/builders/production-files.ts';

/** What reads a text, bytes or a spec that come from outside of the process. */
const READS: Readonly<Record<string, RegExp>> = {
  'JSON.parse': /\bJSON\.parse\(/,
  'JSON within a bound': /\b(?:bounded|maybe)Json\(/,
  'the body of a message': /\.(?:text|json|arrayBuffer|blob|formData)\(\)|\btextWithin\(|\.on\('data'/,
  'a stream': /for await \(const (?:chunk|line) of/,
  YAML: /from 'yaml'/,
  'a certificate or a key': /new X509Certificate\(|\bcreatePrivateKey\(/,
  base64: /Buffer\.from\([^)]*'base64'\)/,
  'a cron pattern': /new Cron\(/,
  'a selector of labels': /\bhostSelector\(/,
  'what a template asks for': /\brender\(|\breferencedPools\(/,
  'a list in one text': /\.split\((?:'[,;&]'|\/)/,
};

const OPERATOR = 'settings of the operator';
const RENDERED = 'draft.ts bounds what is rendered, and pools.ts the pools';
const SELECTOR = 'label-selector.ts bounds each selector';

/** Files that read from outside without a bound of the table, each with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  'activities/ironic/client/transport.ts': 'connection.ts ends each answer at its bound',
  'activities/kubernetes/data/data.ts': RENDERED,
  'domain/data/examine.ts': RENDERED,
  'domain/data/render.ts': RENDERED,
  'domain/diagnosis/holders.ts': 'diagnosis.ts bounds the words',
  'domain/diagnosis/rows/temper.ts': 'diagnosis.ts bounds the words',
  'domain/discovery/allow-list.ts': OPERATOR,
  'domain/fixture/failing.ts':
    'an annotation of 256 KiB at most, of hosts without a server, whose words are looked at once',
  'domain/host/approval/budget.ts': 'ends after a few parts; domain/bounds/annotations.test.ts measures it',
  'domain/host/approval/kinds.ts': 'each word is one of three; domain/bounds/annotations.test.ts measures it',
  'domain/ironic/capabilities.ts': 'answer-json.ts bounds what Ironic says of a node',
  'domain/machine-set/scale.ts': SELECTOR,
  'domain/machine/choose-host/select-host.ts': SELECTOR,
  'domain/other-operators/operators.ts': 'one name of an image at a time, for an administrator',
  'domain/remediation/report/seen.ts': 'one entry for each condition of a Machine, which is looked at once',
  'domain/urls/hidden.ts': 'redact.ts bounds the secrets',
  'k8s-bridge/bindings/data.ts': RENDERED,
  'k8s-bridge/choose-host/host-choice.ts': SELECTOR,
  'k8s-bridge/webhooks/registrations.ts': 'webhook configurations, which administrators of the cluster write',
  'k8s-bridge/webhooks/serving/read-body.ts': 'limits.ts gives it the bounds of reviews',
  'k8s-bridge/webhooks/serving/reviews.ts': 'reads in a thread what read-body.ts has let in',
  'k8s-bridge/webhooks/serving/server.ts': 'throws the rest of a refused body away, up to a limit',
  'kube/objects/secret.ts':
    'a Secret has 1 MiB at most, and base64 takes less than 1 ms; who reads the text has a bound',
  'kube/objects/usual-times.ts': 'a ConfigMap of 1 MiB at most in the namespace of the bridge',
  'kube/selects.ts': SELECTOR,
  'platform/config/agent-urls.ts': OPERATOR,
  'platform/config/config-values.ts': OPERATOR,
  'platform/config/proxy-settings.ts': OPERATOR,
  'platform/process-identity.ts': "the kernel's own, on a lab's machine",
  'platform/proxies.ts': OPERATOR,
  'platform/temporal/encryption/keys.ts': 'a file of the operator',
  'platform/temporal/runtime.ts': 'metrics of the own process',
  'platform/text-within.ts': 'is given the bound',
  'platform/tls/certificates.ts': 'files of the operator, and a Secret in the namespace of the bridge',
  'platform/tls/serving-certificate.ts': 'files of the operator',
};
/** The reader of metadata and network data, whose limits stand beside it. */
const DOCUMENTS = /^activities\/(?:documents\/|ironic\/enroll\/documents\.ts$)/;

const files = productionFiles().filter(({ file }) => !file.startsWith('domain/bounds/') && !DOCUMENTS.test(file));
const readsIn = (text: string): readonly string[] =>
  Object.entries(READS).flatMap(([what, pattern]) => (pattern.test(text) ? [what] : []));
const usersOf = (bound: string): readonly string[] =>
  files.filter(({ text }) => new RegExp(`\\bBOUNDS\\.${bound}\\b`).test(text)).map(({ file }) => file);

const HEAD = '| Bound | What is read | Who writes it | Limit | Where it is read | Files | Test |';
const count = (value: number): string => value.toLocaleString('en');
const size = (characters: number): string => {
  if (characters < 1_024) return `${characters} characters`;
  const kib = characters / 1_024;
  return kib < 1_024 ? `${kib} KiB` : `${kib / 1_024} MiB`;
};
const limitOf = ({ characters, values, depth }: Bound): string =>
  [
    size(characters),
    ...(values === undefined ? [] : [`${count(values)} values`]),
    ...(depth === undefined ? [] : [`${depth} levels`]),
  ].join(', ');

const lines = readFileSync(inRepository('test/attacks/README.md'), 'utf8').split('\n');
const table = lines.slice(lines.indexOf(HEAD) + 2);
const rows = table
  .slice(
    0,
    table.findIndex((line) => !line.startsWith('|')),
  )
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
  .map(([bound = '', , , limit = '', , readers = '', tests = '']) => ({
    bound,
    limit,
    readers: readers.split(', '),
    tests: tests.split(', '),
  }));

describe('what somebody else writes', () => {
  test('is read within a bound of the table, or stands in the list of others', () => {
    const unbounded = files.filter(({ text }) => readsIn(text).length > 0 && !text.includes('BOUNDS.'));
    expect(unbounded.map(({ file }) => file)).toEqual(Object.keys(OTHERS).toSorted());
  });

  test('has its bound in the table, with the files that read it', () => {
    const written = rows
      .filter(({ bound }) => bound in BOUNDS)
      .map(({ bound, limit, readers }) => ({ bound, limit, readers }));
    const known = Object.entries(BOUNDS).map(([bound, limits]) => ({
      bound,
      limit: limitOf(limits),
      readers: usersOf(bound),
    }));
    expect(written).toEqual(known);
  });

  test('has a test of the worst that may come', () => {
    const missing = rows.flatMap(({ tests }) => tests).filter((file) => !existsSync(inRepository(file)));
    expect(missing).toEqual([]);
  });
});
