import { mkdir, mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAIL_ANNOTATION } from '../../domain/fixture/failing.ts';
import { viewsAt } from '../../lab/terminal/views.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import { type Browser, hasBrowser, startBrowser } from './support/browser.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { keepHistories, runsOf, withTemporal } from './support/histories.ts';
import { apply, hostIn, hostThat, NAMESPACE } from './support/hosts.ts';
import { joinFixtureLab, QUICK_FIXTURE } from './support/place/join.ts';

/** What Temporal's Web UI shows, in a real browser. With TEMPER_SCREENSHOTS the pictures of docs/images are taken anew. */
const IMAGES = fileURLToPath(new URL('../../docs/images', import.meta.url));
const isBrowserThere = await hasBrowser();

let lab: TestFixtureLab;
let folder: string;
beforeAll(async () => {
  folder = process.env['TEMPER_SCREENSHOTS'] ? IMAGES : await mkdtemp(join(tmpdir(), 'temper-web-ui-'));
  await mkdir(folder, { recursive: true });
  lab = await joinFixtureLab({ temperEnv: QUICK_FIXTURE });
  await apply(lab, fixtureSecret('fine'), fixtureHost('fine', { image: IMAGE }));
  await apply(
    lab,
    fixtureSecret('broken'),
    fixtureHost('broken', { image: IMAGE }, { [FAIL_ANNOTATION]: 'provision' }),
  );
  await hostIn(lab, 'fine', 'provisioned');
  await hostThat(lab, 'broken', 'in error', ({ status }) => status.errorType === 'provisioning error');
});
afterAll(() => lab?.stop());

const pathTo = (rest: string): string =>
  `${lab.endpoints.webUi}/namespaces/${lab.endpoints.temporalNamespace}/workflows${rest}`;
const listOf = (query: string): string => pathTo(`?query=${encodeURIComponent(query)}`);
const listed = (query: string): Promise<readonly string[]> =>
  withTemporal(lab, async (client) => {
    const ids: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
    return ids;
  });
const idOf = (name: string): string => hostWorkflowId({ namespace: NAMESPACE, name });
const queryOf = (name: string): string => viewsAt(Date.now()).find((view) => view.name === name)?.query ?? '';

describe('the views', () => {
  test('find the host in error, and its failed operation', async () => {
    await expect.poll(() => listed(queryOf('in error'))).toEqual([idOf('broken')]);
    expect(await listed(queryOf('failed operations'))).toEqual([
      expect.stringContaining(`${idOf('broken')}/provision/`),
    ]);
  });

  test('are all understood by the server', async () => {
    for (const { query } of viewsAt(Date.now())) expect(await listed(query)).toBeInstanceOf(Array);
  });
});

test('the run of an operation that failed has failed, and that of its host goes on', async () => {
  const runs = await runsOf(lab, 'broken');
  const statusOf = (type: string): readonly string[] =>
    runs.filter((run) => run.type === type).map((run) => run.status);
  expect(statusOf('provisionWorkflow')).toEqual(['FAILED']);
  expect(statusOf('inspectWorkflow')).toEqual(['COMPLETED']);
  expect(statusOf('hostWorkflow')).toContain('RUNNING');
  await keepHistories(lab, 'failed-run', 'broken', ({ status }) => status !== 'COMPLETED');
});

describe.skipIf(!isBrowserThere)('the browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  test.each([
    ['list', () => listOf('TemperKind = "BareMetalHost"'), ['/broken', '/fine', 'RUNNING']],
    ['failed-operations', () => listOf(queryOf('failed operations')), ['/broken/provision/', 'FAILED']],
    [
      'host',
      () => pathTo(`/${encodeURIComponent(idOf('broken'))}`),
      ['/broken', 'provisioning error: Image', 'Inspect the hardware'],
    ],
  ])('shows %s', async (name, url, texts) => {
    const page = await browser.open(url());
    const missing = async (): Promise<readonly string[]> => {
      const text = (await page.text()).toLowerCase();
      return texts.filter((one) => !text.includes(one.toLowerCase()));
    };
    await expect.poll(missing).toEqual([]);
    const file = join(folder, `web-ui-${name}.png`);
    await page.screenshot(file);
    expect((await stat(file)).size).toBeGreaterThan(20_000);
  });
});
