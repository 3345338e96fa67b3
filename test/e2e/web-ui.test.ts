import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineId } from '../../activities/fixture/store.ts';
import { FAIL_ANNOTATION } from '../../domain/fixture/failing.ts';
import { historyOf } from '../../domain/steering/history.ts';
import { configMapPath } from '../../kube/paths.ts';
import { searchFor, VIEWS } from '../../lab/terminal/views.ts';
import { entityWorkflowId, hostWorkflowId } from '../../workflows/messages.ts';
import { type Browser, hasBrowser, startBrowser } from './support/browser.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab, withoutSlot } from './support/fixture.ts';
import { keepHistories, runsOf, withTemporal } from './support/histories.ts';
import { apply, editHost, getHost, hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
import { aCluster, aFreeHost, aMachine, on } from './support/machines.ts';
import { PATIENCE, type Page } from './support/page.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';
import {
  cancelDialog,
  changeColumns,
  documentedColumns,
  documentedFilter,
  documentedSince,
  documentedViews,
  inputIn,
  listedMessages,
  openDialog,
  submit,
} from './support/web-ui.ts';

/**
 * What Temporal's Web UI shows, and what a person can do with it, in a real browser. With TEMPER_SCREENSHOTS the
 * pictures of docs/images are taken anew.
 */
const IMAGES = fileURLToPath(new URL('../../docs/images', import.meta.url));
const OF_PAGES: readonly string[] = ['list', 'failed-operations', 'host', 'update', 'refused'];
const PAUSED = 'baremetalhost.metal3.io/paused';
const isBrowserThere = await hasBrowser();

let lab: TestFixtureLab;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-web-ui-'));
  // A host that has failed too often would wait for a person.
  lab = await joinFixtureLab({ temperEnv: { ...QUICK_FIXTURE, MAX_PROVISIONING_RETRIES: '0' } });
  await aHost('fine', IMAGE);
  await aHost('broken', IMAGE, { [FAIL_ANNOTATION]: 'provision' });
  await hostIn(lab, 'fine', 'provisioned');
  await hostThat(lab, 'broken', 'in error', ({ status }) => status.errorType === 'provisioning error');
});
afterAll(() => lab?.stop());

const aHost = (name: string, image?: typeof IMAGE, annotations = {}): Promise<string> =>
  apply(lab, fixtureSecret(name), withoutSlot(fixtureHost(name, image === undefined ? {} : { image }, annotations)));
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
const runOf = (id: string): string => pathTo(`/${encodeURIComponent(id)}`);
const queryOf = (name: string): string => VIEWS.find((view) => view.name === name)?.query ?? '';

test('the views are all understood by the server', async () => {
  for (const { query } of VIEWS) expect(await listed(query)).toBeInstanceOf(Array);
});

test('the run of an operation that failed has failed, and that of its host goes on', async () => {
  const runs = await runsOf(lab, 'broken');
  const statusOf = (type: string): readonly string[] =>
    runs.filter((run) => run.type === type).map((run) => run.status);
  expect(new Set(statusOf('provisionWorkflow'))).toEqual(new Set(['FAILED']));
  expect(statusOf('inspectWorkflow')).toEqual(['COMPLETED']);
  expect(statusOf('hostWorkflow')).toContain('RUNNING');
  await keepHistories(lab, 'failed-run', 'broken', ({ status }) => status !== 'COMPLETED');
});

describe.skipIf(!isBrowserThere)('the browser', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await startBrowser();
    page = await browser.open('about:blank');
  });
  afterAll(() => browser?.close());

  async function picture(name: string, selector?: string): Promise<void> {
    const isForPages = process.env['TEMPER_SCREENSHOTS'] !== undefined && OF_PAGES.includes(name);
    const file = join(isForPages ? IMAGES : folder, `web-ui-${name}.png`);
    await page.screenshot(file, selector);
    expect((await stat(file)).size).toBeGreaterThan(8_000);
  }

  test.each([
    ['failed-operations', () => listOf(queryOf('failed operations')), ['/broken/provision/', 'FAILED']],
    [
      'host',
      () => runOf(idOf('broken')),
      ['/broken', `provisioning error: the annotation ${FAIL_ANNOTATION} makes`, 'Inspect the hardware'],
    ],
  ])('shows %s', async (name, url, texts) => {
    await page.visit(url());
    const missing = async (): Promise<readonly string[]> => {
      const text = (await page.text()).toLowerCase();
      return texts.filter((one) => !text.includes(one.toLowerCase()));
    };
    await expect.poll(missing, PATIENCE).toEqual([]);
    await picture(name);
  });

  describe('in the list of hosts', () => {
    const link = async (): Promise<string> => {
      const view = (await documentedViews()).find(({ name }) => name === 'hosts');
      return pathTo(searchFor(view ?? { name: '', query: '' }));
    };
    /** The cells of the row of a host. */
    const rowOf = async (name: string): Promise<readonly string[]> =>
      (await page.texts('tbody tr')).find((row) => row.includes(`/${name}`))?.split(/\s+/) ?? [];

    test('shows the state of each host in the columns that docs/web-ui.md adds, also when it is opened again', async () => {
      await page.visit(await link());
      await expect.poll(() => rowOf('fine'), PATIENCE).toContain('RUNNING');
      expect(await rowOf('fine')).not.toContain('provisioned');
      await changeColumns(page);
      await page.visit(await link());
      await expect.poll(() => rowOf('fine'), PATIENCE).toContain('provisioned');
      const { added, removed } = await documentedColumns();
      expect(added).toContain('TemperState');
      const shown = (await page.texts('th')).filter((text) => [...added, ...removed].includes(text));
      expect(shown).toEqual(added);
      const look = async (): Promise<readonly string[]> => {
        const row = await rowOf('broken');
        await page.press('button', 'Refresh');
        return row;
      };
      await expect.poll(look, { ...PATIENCE, interval: 2_000 }).toContain('retry');
      await expect.poll(() => rowOf('fine'), PATIENCE).toContain('provisioned');
      await picture('list');
    });

    test('keeps the view of a link under its name', async () => {
      await page.visit(pathTo(''));
      await page.press('[data-testid=saved-views-button]', '');
      await expect.poll(() => page.text(), PATIENCE).toMatch(/^hosts$/m);
    });
  });

  describe('in the run of a host', () => {
    beforeAll(async () => {
      await page.visit(runOf(idOf('fine')));
      await page.press('a', 'User Metadata');
    });

    /** Looks again until the current details have this text. */
    async function detailsWith(text: string): Promise<string> {
      const look = async (): Promise<string> => {
        await page.key('r');
        return page.details();
      };
      await expect.poll(look, PATIENCE).toContain(text);
      return page.details();
    }
    const isPaused = async (): Promise<boolean> => PAUSED in ((await getHost(lab, 'fine'))?.metadata.annotations ?? {});
    const told = async (): Promise<readonly string[]> =>
      historyOf((await getHost(lab, 'fine'))?.metadata.annotations ?? {}).map(
        ({ what, by, reason }) => `${what} by ${by}: ${reason}`,
      );

    test('the details say state, since and next, and then each message with its input', async () => {
      const details = await detailsWith('--name pause');
      const places = ['is provisioned, as desired', 'Since ', 'Next ', 'What a person can do now'].map((text) =>
        details.indexOf(text),
      );
      expect(places).not.toContain(-1);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      await picture('details');
    });

    test('an update with the input that the details print pauses the host', async () => {
      const input = inputIn(await detailsWith('--name pause'), 'pause', 'ada', 'the fan is loud');
      await openDialog(page, 'update');
      await listedMessages(page, 'update');
      await picture('update', '#update-confirmation-modal');
      await submit(page, 'update', 'pause', input);
      await expect.poll(() => page.text(), PATIENCE).toContain('Update successful');
      expect(await isPaused()).toBe(true);
      expect(await told()).toEqual(['pause by ada: the fan is loud']);
    });

    test('a signal with the input that the details print resumes it', async () => {
      const details = await detailsWith('--name resume');
      expect(details).toContain('Last message: pause by ada: the fan is loud');
      await openDialog(page, 'signal');
      await submit(page, 'signal', 'resume', inputIn(details, 'resume', 'bob', 'new fan'));
      await expect.poll(() => page.text(), PATIENCE).toContain('Workflow signaled.');
      await expect.poll(isPaused, PATIENCE).toBe(false);
      await detailsWith('Last message: resume by bob: new fan');
      expect((await told()).at(-1)).toBe('resume by bob: new fan');
    });

    test.each([
      ['makes no sense', 'resume', '{"by":"ada","reason":"again"}', 'resume fine: it is neither paused nor parked'],
      ['is malformed', 'pause', '{"by":"ada"}', 'the message.reason is not a text'],
    ])('an update that %s is refused in the dialog, with the reason alone', async (what, message, input, reason) => {
      await openDialog(page, 'update');
      await submit(page, 'update', message, input);
      await expect.poll(() => page.text(), PATIENCE).toContain(reason);
      expect(await page.text()).not.toContain('ApplicationFailure');
      if (what === 'makes no sense') await picture('refused', '#update-confirmation-modal');
      await cancelDialog(page, 'update');
      expect(await isPaused()).toBe(false);
    });

    test('the reason why a signal was refused is in the details', async () => {
      await openDialog(page, 'signal');
      await submit(page, 'signal', 'resume', '{"by":"ada","reason":"again"}');
      await expect.poll(() => page.text(), PATIENCE).toContain('Workflow signaled.');
      await detailsWith('The last one was resume: it could not be processed: resume fine: it is neither paused');
    });

    test.each(['signal', 'update'] as const)('the dialog for a new %s says what each message does', async (kind) => {
      await openDialog(page, kind);
      const options = await listedMessages(page, kind);
      const said = options
        .map((option) => option.split(/\s{2,}|\n/))
        .filter(([name = '']) => !['', 'Custom'].includes(name));
      for (const name of ['pause', 'resume', 'retry', 'abort', 'quarantine', 'releaseQuarantine', 'power', 'approve'])
        expect(said).toContainEqual([name, expect.stringContaining('sent by people, with by and reason')]);
      expect(said.filter(([, does = '']) => does === '')).toEqual([]);
      await cancelDialog(page, kind);
    });

    test('the address in docs/web-ui.md shows no activities, and so no writing of the status', async () => {
      const run = (await page.address()).replace(/\/[^/]*$/, '');
      await page.visit(`${run}/history`);
      await expect.poll(() => page.text(), PATIENCE).toContain('Status provisioned');
      await page.visit(`${run}${await documentedFilter()}`);
      await expect.poll(() => page.text(), PATIENCE).toContain(`Provision ${IMAGE.url}`);
      const text = await page.text();
      expect(text).toContain('Inspect the hardware');
      expect(text).not.toMatch(/Status (registering|available|provisioned)/);
      await picture('no-activities');
    });

    test('the filter of the timeline hides activities', async () => {
      await page.press('a', 'Timeline');
      await expect.poll(() => page.text(), PATIENCE).toContain('Status provisioned');
      await page.press('button', 'Filter');
      await page.press('[role=menuitem]', 'Activity');
      await expect.poll(() => page.text(), PATIENCE).not.toContain('Status provisioned');
      expect(await page.text()).toContain(`Provision ${IMAGE.url}`);
    });
  });

  describe('with hosts that wait', () => {
    const machine = entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name: 'without-node' });
    beforeAll(async () => {
      await aHost('held', IMAGE, { 'temper/approval': 'erase' });
      await aHost('quarantined');
      await aHost('slow');
      await aCluster(lab, 'test1');
      await aFreeHost(lab, 'taken');
      await aMachine(lab, 'test1', 'without-node', { spec: on('taken') });
      const { metadata } = await hostIn(lab, 'slow', 'available');
      // Its machine can not be changed any more, so its deployment takes for ever.
      const name = machineId({ namespace: NAMESPACE, name: 'slow', uid: metadata.uid });
      await lab.kube.patch(configMapPath({ namespace: NAMESPACE, name }), { immutable: true });
      await editHost(lab, 'slow', { image: IMAGE });
      await hostIn(lab, 'slow', 'provisioning');
      await hostIn(lab, 'taken', 'provisioned');
      await hostIn(lab, 'quarantined', 'available');
      await kubectl(lab, ['annotate', 'bmh', 'quarantined', 'temper/quarantine=the fan is loud']);
    });

    /** The list is empty for a moment after each look. */
    const NOW_AND_THEN = { ...PATIENCE, interval: 2_000 };
    /** The ids of the runs in the list, which is read again for the next look. */
    const rows = async (): Promise<readonly string[]> => {
      const links = await page.texts('tbody a');
      await page.press('button', 'Refresh');
      return links.filter((text) => text.includes('/')).toSorted();
    };
    const documentedQuery = async (name: string): Promise<string> =>
      (await documentedViews()).find((view) => view.name === name)?.query ?? '';

    test.each([
      ['in error', () => [idOf('broken')]],
      ['waiting', () => [idOf('broken'), idOf('held'), idOf('quarantined'), idOf('slow'), machine]],
      ['waiting for hardware', () => [idOf('slow'), machine]],
      ['waiting for a person', () => [idOf('held'), idOf('quarantined')]],
    ])('the view %s shows exactly these', async (name, ids) => {
      await page.visit(listOf(await documentedQuery(name)));
      await expect.poll(rows, NOW_AND_THEN).toEqual(ids());
      await picture(`view-${name.replaceAll(' ', '-')}`);
    });

    test('the view failed operations shows each deployment that failed', async () => {
      await page.visit(listOf(await documentedQuery('failed operations')));
      const failed = new RegExp(`^${idOf('broken')}/provision/\\d+$`);
      let shown: readonly string[] = [];
      await expect.poll(async () => (shown = await rows()), NOW_AND_THEN).toContainEqual(expect.stringMatching(failed));
      expect(shown.filter((id) => !failed.test(id))).toEqual([]);
    });

    test('nothing has waited since an hour ago', async () => {
      const anHourAgo = new Date(Date.now() - 3_600_000);
      await page.visit(listOf(await documentedSince(await documentedQuery('waiting'), anHourAgo)));
      await expect.poll(() => page.text(), PATIENCE).toMatch(/^0\s+Workflows$/m);
    });

    test.each([
      ['a machine', () => machine, 'Run of the BareMetalHost'],
      ['a host that waits for a person', () => idOf('held'), 'and write image'],
    ])('the details of %s', async (_, id, text) => {
      await page.visit(runOf(id()));
      await page.press('a', 'User Metadata');
      await expect.poll(() => page.details(), PATIENCE).toContain(text);
    });

    test('a message to a machine holds its host', async () => {
      await page.visit(runOf(machine));
      await openDialog(page, 'update');
      const options = await listedMessages(page, 'update');
      const names = options.map((option) => option.split(/\s/)[0]);
      expect(names).toEqual(expect.arrayContaining(['pause', 'resume', 'retry', 'approve', 'reject', 'power']));
      await submit(page, 'update', 'quarantine', '{"by":"ada","reason":"the fan is loud"}');
      await expect.poll(() => page.text(), PATIENCE).toContain('Update successful');
      const { metadata } = await hostThat(
        lab,
        'taken',
        'held',
        (host) => 'temper/quarantine' in host.metadata.annotations,
      );
      expect(metadata.annotations['temper/quarantine']).toContain('ada for machine without-node');
    });
  });
});
