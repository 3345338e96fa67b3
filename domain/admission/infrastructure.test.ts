import { describe, expect, test } from 'vitest';
import { metal3ClusterDefaults, metal3ClusterRules, metal3ClusterTemplateRules } from '../cluster/admission.ts';
import { metal3DataClaimRules, metal3DataRules } from '../data/admission.ts';
import { metal3DataTemplateRules } from '../data-template/admission.ts';
import {
  metal3RemediationRules,
  metal3RemediationTemplateDefaults,
  metal3RemediationTemplateRules,
} from '../remediation/admission.ts';
import { problemText } from './field-problem.ts';
import { metal3MachineRules, metal3MachineTemplateRules } from './metal3machine.ts';
import type { Judged, Problem, Rules } from './rules.ts';

const object = <Spec>(spec: Spec, name = 'test1'): Judged<Spec> => ({
  metadata: { name, namespace: 'metal3' },
  annotations: {},
  spec,
  status: {},
});
const texts = (problems: readonly Problem[]): readonly string[] =>
  problems.map((problem) => (typeof problem === 'string' ? problem : problemText(problem)));
const created = <Spec>(rules: Rules<Judged<Spec>>, spec: Spec, name?: string): readonly string[] =>
  texts(rules.created(object(spec, name)));
const changed = <Spec>(rules: Rules<Judged<Spec>>, before: Spec, after: Spec): readonly string[] =>
  texts(rules.changed(object(before), object(after)));

describe('a Metal3Cluster', () => {
  test('needs a host to be reached at', () => {
    const missing = ['spec.controlPlaneEndpoint: Invalid value: "": is required'];
    expect(created(metal3ClusterRules, {})).toEqual(missing);
    expect(changed(metal3ClusterRules, {}, { controlPlaneEndpoint: { port: 1 } })).toEqual(missing);
    expect(created(metal3ClusterRules, { controlPlaneEndpoint: { host: 'h' } })).toEqual([]);
  });
  test('can be changed in everything', () => {
    const before = { controlPlaneEndpoint: { host: 'h', port: 1 }, cloudProviderEnabled: true };
    expect(changed(metal3ClusterRules, before, { controlPlaneEndpoint: { host: 'i', port: 2 } })).toEqual([]);
  });
  test('has port 6443 and no cloud provider by default', () => {
    expect(metal3ClusterDefaults.complete({})).toEqual({
      controlPlaneEndpoint: { port: 6443 },
      cloudProviderEnabled: false,
    });
    const whole = { controlPlaneEndpoint: { host: 'h', port: 1 }, cloudProviderEnabled: true };
    expect(metal3ClusterDefaults.complete(whole)).toEqual(whole);
  });
});

describe('a Metal3ClusterTemplate', () => {
  const template = (endpoint: object) => ({ template: { spec: { controlPlaneEndpoint: endpoint } } });

  test.each([
    [{}, 'missing fields from Spec: [ControlPlaneEndpoint.Host ControlPlaneEndpoint.Port]'],
    [{ host: 'h' }, 'missing fields from Spec: [ControlPlaneEndpoint.Port]'],
    [{ host: 'h', port: 1 }, undefined],
  ])('with the endpoint %j: %s', (endpoint, problem) => {
    expect(created(metal3ClusterTemplateRules, template(endpoint))).toEqual(problem === undefined ? [] : [problem]);
  });
  test('has to have been in order before it is changed', () => {
    const [partial, whole] = [template({ host: 'h' }), template({ host: 'h', port: 1 })];
    const problems = ['missing fields from Spec: [ControlPlaneEndpoint.Port]'];
    expect(changed(metal3ClusterTemplateRules, partial, whole)).toEqual(problems);
    expect(changed(metal3ClusterTemplateRules, partial, template({}))).toEqual(problems);
    expect(changed(metal3ClusterTemplateRules, whole, whole)).toEqual([]);
  });
});

describe('a Metal3Machine', () => {
  const good = { url: 'http://i', checksum: 'abc' };

  test.each([
    [undefined, ['Spec.Image: Required value: either image or customDeploy is required']],
    [{ url: '', checksum: 'abc' }, ['Spec.Image.URL: Required value: cannot be empty']],
    [{ ...good, url: 'i' }, ['Spec.Image.URL: Invalid value: "i": not a valid URL']],
    [{ url: 'http://i' }, ['Spec.Image.Checksum: Required value: cannot be empty']],
    [{ url: 'http://i', checksum: '' }, ['Spec.Image.Checksum: Required value: cannot be empty']],
    [{ url: 'http://i', diskFormat: 'live-iso' as const }, []],
    [{ ...good, checksum: 'http://s' }, []],
    [{ ...good, checksum: 'http://[s' }, ['Spec.Image.Checksum: Invalid value: "http://[s": not a valid URL']],
    [{ url: 'OCI://i' }, []],
    [
      { ...good, url: 'oci://i', checksumType: 'md5' as const },
      [
        'Spec.Image.Checksum: Forbidden: must be empty for OCI images',
        'Spec.Image.ChecksumType: Forbidden: must be empty for OCI images',
      ],
    ],
    [good, []],
  ])('with the image %j: %j', (image, problems) => {
    expect(created(metal3MachineRules, image === undefined ? {} : { image })).toEqual(problems);
    const template = { template: { spec: image === undefined ? {} : { image } }, nodeReuse: false };
    expect(created(metal3MachineTemplateRules, template)).toEqual(
      problems.map((text) => text.replace('Spec.Image', 'Spec.Template.Spec.Image')),
    );
  });
  test.each([
    ['live-iso', 1],
    ['raw', 0],
  ] as const)('with an image of format %s has %i warnings', (diskFormat, count) => {
    const spec = { image: { ...good, diskFormat } };
    expect(metal3MachineRules.warnings?.(object(spec))).toHaveLength(count);
    const template = { template: { spec }, nodeReuse: false };
    expect(metal3MachineTemplateRules.warnings?.(object(template))).toHaveLength(count);
  });
  test('with a deploy step of its own has any image it likes', () => {
    const spec = { customDeploy: { method: 'm' }, image: { url: 'i' } };
    expect(created(metal3MachineRules, spec)).toEqual([]);
    expect(created(metal3MachineTemplateRules, { template: { spec }, nodeReuse: false })).toEqual([]);
  });
  test('of a template can be changed in everything, as long as its image is in order', () => {
    const before = {
      template: { metadata: { labels: { a: 'b' } }, spec: { image: good, hostSelector: {} } },
      nodeReuse: false,
    };
    const image = { url: 'http://j', checksum: 'def', checksumType: 'sha256' as const, diskFormat: 'raw' as const };
    const dataTemplate = { name: 'other', namespace: 'metal3' };
    const after = { template: { spec: { image, dataTemplate, providerID: 'x' } }, nodeReuse: true };
    expect(changed(metal3MachineTemplateRules, before, after)).toEqual([]);
    expect(changed(metal3MachineTemplateRules, before, { template: { spec: {} }, nodeReuse: false })).toEqual([
      'Spec.Template.Spec.Image: Required value: either image or customDeploy is required',
    ]);
  });
  test.each(['userData', 'metaData', 'networkData'] as const)('has its %s in its own namespace', (field) => {
    const spec = (namespace: string) => ({ image: good, [field]: { name: 's', namespace } });
    expect(created(metal3MachineRules, spec('elsewhere'))).toEqual([
      `spec.${field}.namespace: Forbidden: cross-namespace secret references are not allowed`,
    ]);
    expect(created(metal3MachineRules, spec('metal3'))).toEqual([]);
    expect(changed(metal3MachineRules, spec(''), spec('elsewhere'))).toHaveLength(1);
  });
});

describe('a Metal3Data', () => {
  const spec = { index: 2, template: { name: 't' }, claim: { name: 'c' } };

  test('is named after its template and its index', () => {
    expect(created(metal3DataRules, spec, 't-2')).toEqual([]);
    expect(created(metal3DataRules, spec, 't-3')).toEqual([
      'name: Invalid value: "t-3": should follow the convention <Metal3Template Name>-<index>',
    ]);
    expect(created(metal3DataRules, { template: { name: 't' } }, 'x')).toEqual([]);
    expect(created(metal3DataRules, { index: -1 }, 'x')).toEqual([
      'spec.Index: Invalid value: -1: must be positive value',
    ]);
  });
  test('stays what it is', () => {
    expect(changed(metal3DataRules, spec, { ...spec, index: 3 })).toEqual([
      'spec.Index: Invalid value: 3: cannot be modified',
    ]);
    expect(changed(metal3DataRules, spec, { index: 2, claim: { name: 'c', namespace: 'n' } })).toEqual([
      'spec.Template: Invalid value: null: cannot be modified',
      'spec.claim: Invalid value: {"name":"c","namespace":"n"}: cannot be modified',
    ]);
    expect(changed(metal3DataRules, { index: 0 }, {})).toEqual([]);
  });
});

describe('a Metal3DataClaim', () => {
  const elsewhere =
    'spec.template.namespace: Invalid value: "n": must be empty or match the Metal3DataClaim namespace; cross-namespace template references are not allowed';

  test('names a template of its own namespace', () => {
    expect(created(metal3DataClaimRules, {})).toEqual(['spec.template.name: Invalid value: "": must be set']);
    expect(created(metal3DataClaimRules, { template: { name: 't', namespace: 'n' } })).toEqual([elsewhere]);
    expect(created(metal3DataClaimRules, { template: { name: 't', namespace: 'metal3' } })).toEqual([]);
  });
  test('keeps its template', () => {
    expect(changed(metal3DataClaimRules, { template: { name: 't' } }, { template: { name: 'u' } })).toEqual([
      'spec.template: Invalid value: {"name":"u"}: cannot be modified',
    ]);
    expect(
      changed(metal3DataClaimRules, { template: { name: 't' } }, { template: { name: 't', namespace: 'n' } }),
    ).toEqual(['spec.template: Invalid value: {"name":"t","namespace":"n"}: cannot be modified', elsewhere]);
  });
});

describe('a Metal3DataTemplate', () => {
  const interfaces = (...fromHostInterfaces: { key: string; interface?: string; fromBootMAC?: boolean }[]) => ({
    metaData: { fromHostInterfaces },
  });

  test('takes a MAC address from a named NIC or from the one that boots, not from both', () => {
    expect(
      created(
        metal3DataTemplateRules,
        interfaces({ key: 'a' }, { key: 'b', interface: 'eth0' }, { key: 'c', interface: 'eth0', fromBootMAC: true }),
      ),
    ).toEqual([
      'spec.metaData.fromHostInterfaces.0.interface: Required value: interface must be specified when fromBootMAC is false',
      'spec.metaData.fromHostInterfaces.2.interface: Invalid value: "eth0": interface must be empty when fromBootMAC is true',
    ]);
  });
  test('names a pool for each network with an address from one', () => {
    const network = { id: 'i', link: 'l' };
    const networks = {
      ipv4: [{ ...network, ipAddressFromIPPool: 'p' }, network],
      ipv6: [
        network,
        { ...network, fromPoolRef: { name: 'p' } },
        { ...network, fromPoolAnnotation: { object: 'machine' as const, annotation: 'a' } },
      ],
      ipv4DHCP: [network],
    };
    expect(created(metal3DataTemplateRules, { networkData: { networks } })).toEqual(
      ['ipv4.1', 'ipv6.0'].map(
        (at) =>
          `spec.networkData.networks.${at}.fromPoolRef.name: Required value: fromPoolRef needs to contain a reference to an IPPool`,
      ),
    );
  });
  test('keeps its metadata and its network configuration, and is not looked at again', () => {
    const bad = interfaces({ key: 'a' });
    expect(changed(metal3DataTemplateRules, bad, { ...bad, clusterName: 'c' })).toEqual([]);
    expect(changed(metal3DataTemplateRules, {}, { metaData: {}, networkData: {} })).toEqual([
      'spec.MetaData: Invalid value: {}: cannot be modified',
      'spec.NetworkData: Invalid value: {}: cannot be modified',
    ]);
  });
  test('shows no quotes around a field that was taken away', () => {
    const before = { metaData: {}, networkData: {} };
    expect(changed(metal3DataTemplateRules, before, {})).toEqual([
      'spec.MetaData: Invalid value: null: cannot be modified',
      'spec.NetworkData: Invalid value: null: cannot be modified',
    ]);
  });
  test('with the name of a cluster is warned about', () => {
    expect(metal3DataTemplateRules.warnings?.(object({ clusterName: 'c' }))).toEqual([
      'spec.clusterName is deprecated and will be removed in a future release. It is no longer used by the controllers.',
    ]);
    expect(metal3DataTemplateRules.warnings?.(object({}))).toEqual([]);
  });
});

describe('a Metal3Remediation', () => {
  const good = { type: 'Reboot' as const, retryLimit: 1, timeoutSeconds: 100 };

  test('heals by a reboot, in a hundred seconds or more, and tries at least once', () => {
    expect(created(metal3RemediationRules, {})).toEqual([]);
    expect(created(metal3RemediationRules, { strategy: good })).toEqual([]);
    expect(created(metal3RemediationRules, { strategy: { timeoutSeconds: 99 } })).toEqual([
      'spec.strategy.timeoutSeconds: Invalid value: 99: min duration is 100 seconds',
      'spec.strategy.type: Invalid value: "": is only supported remediation strategy',
      'spec.strategy.retryLimit: Invalid value: 0: is minimum retrylimit',
    ]);
  });
  test('of a template is checked likewise, with other messages', () => {
    const template = (strategy: object) => ({ template: { spec: { strategy } } });
    expect(created(metal3RemediationTemplateRules, template(good))).toEqual([]);
    expect(created(metal3RemediationTemplateRules, template({ timeoutSeconds: 1 }))).toEqual([
      'spec.template.spec.strategy.timeoutSeconds: Invalid value: 1: min duration is 100 seconds',
      'spec.template.spec.strategy.type: Invalid value: "": only supported remediation strategy is reboot',
      'spec.template.spec.strategy.retryLimit: Invalid value: 0: minimum retry limit is 1',
    ]);
  });
  test('of a template reboots once, within ten minutes, when the template does not say otherwise', () => {
    const strategy = { type: 'Reboot', timeoutSeconds: 600, retryLimit: 1 };
    expect(metal3RemediationTemplateDefaults.complete({ template: { spec: {} } })).toEqual({
      template: { spec: { strategy } },
    });
    const own = { template: { spec: { strategy: { ...good, retryLimit: 3 } } } };
    expect(metal3RemediationTemplateDefaults.complete(own)).toEqual(own);
  });
});
