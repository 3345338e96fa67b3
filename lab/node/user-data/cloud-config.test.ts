import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readCloudConfig } from './cloud-config.ts';

const META = { name: 'worker-1', uuid: 'a-b', 'metal3-namespace': 'metal3', nested: { 'a-b': 'deep' } };

describe('user data', () => {
  test('that is a template is rendered with what the machine knows of itself', () => {
    const data = `## template: jinja
#cloud-config
write_files:
- path: /etc/name
  content: |
    {{ ds.meta_data.name }} {{ ds.meta_data.metal3_namespace }} {{ ds.meta_data['metal3-namespace'] }}
    {{ ds.meta_data.nested.a_b }} {{ v1.local_hostname }} {{ local_hostname }} {{ v1.instance_id }}
runcmd:
- 'kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml {% if ds.meta_data.rack is defined %}-v 9{% endif %}'
- [echo, '{{ ds.meta_data.uuid }}', 1]
`;

    expect(readCloudConfig(data, META)).toEqual({
      files: [
        {
          path: '/etc/name',
          content: Buffer.from('worker-1 metal3 metal3\ndeep worker-1 worker-1 a-b\n'),
          append: false,
        },
      ],
      commands: ['kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml ', 'echo a-b 1'],
    });
  });

  test('that is no template keeps its braces', () => {
    const data = `#cloud-config\nruncmd:\n- echo '{{ ds.meta_data.name }}'\n`;

    expect(readCloudConfig(data, META)?.commands).toEqual([`echo '{{ ds.meta_data.name }}'`]);
  });

  test('that names what the machine does not know is an error', () => {
    const data = '## template: jinja\n#cloud-config\nruncmd: ["{{ ds.meta_data.providerid }}"]\n';

    expect(() => readCloudConfig(data, META)).toThrow(/undefined/);
  });

  test.each([
    ['b64', Buffer.from('hello').toString('base64')],
    ['gzip+base64', gzipSync('hello').toString('base64')],
    ['', 'hello'],
  ])('has files encoded as "%s"', (encoding, content) => {
    const data = `#cloud-config\n${JSON.stringify({ write_files: [{ path: '/etc/x', content, encoding, append: true }] })}`;

    expect(readCloudConfig(data, META)?.files).toEqual([
      { path: '/etc/x', content: Buffer.from('hello'), append: true },
    ]);
  });

  test('that is not for cloud-init is left alone', () => {
    expect(readCloudConfig('#!/bin/sh\nkubeadm init --config x\n', META)).toBeUndefined();
    expect(readCloudConfig('{"ignition":{"version":"3.0.0"}}', META)).toBeUndefined();
  });
});
