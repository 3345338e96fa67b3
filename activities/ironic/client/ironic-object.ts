import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';
import { type Secret, textOf } from '../../../kube/objects/secret.ts';
import { ironicPath, type Named } from '../../../kube/paths.ts';
import { markSecret, readSecret } from '../../kubernetes/secrets.ts';
import type { IronicConnection } from './connection.ts';
import { IronicError } from './errors.ts';

const ironicObject = z.object({
  metadata: z.object({ generation: z.number() }),
  spec: z
    .object({
      apiCredentialsName: z.string().default(''),
      tls: z.object({ certificateName: z.string().default('') }).default({ certificateName: '' }),
    })
    .default({ apiCredentialsName: '', tls: { certificateName: '' } }),
  status: z
    .object({
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            observedGeneration: z.number().optional(),
            message: z.string().default(''),
          }),
        )
        .default([]),
    })
    .default({ conditions: [] }),
});

/** Address and credentials from the `ironic.metal3.io` object. Throws while it is not ready. */
export async function findIronic(
  kube: Kube,
  { namespace, name }: Named,
): Promise<Pick<IronicConnection, 'endpoint' | 'login' | 'ca'>> {
  const found = await kube.find(ironicPath({ namespace, name }));
  const who = `Ironic ${namespace}/${name}`;
  if (found === undefined) throw unusable(`${who} does not exist`);
  const { metadata, spec, status } = ironicObject.parse(found);
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.observedGeneration !== metadata.generation) {
    throw unusable(`${who} is not ready: its operator has not reconciled it yet`);
  }
  if (ready.status !== 'True') throw unusable(`${who} is not ready: ${ready.message}`);

  const secretOf = async (secret: string): Promise<Secret> => {
    const seen = await readSecret(kube, { namespace, name: secret });
    if (seen === undefined) throw unusable(`Secret ${namespace}/${secret} of ${who} does not exist`);
    return (await markSecret(kube, seen, { hold: false })).secret;
  };
  const credentials = await secretOf(spec.apiCredentialsName);
  const [username, password] = [textOf(credentials, 'username'), textOf(credentials, 'password')];
  if (username === undefined || password === undefined) {
    throw unusable(`Secret ${namespace}/${spec.apiCredentialsName} of ${who} must hold a username and a password`);
  }
  const { certificateName } = spec.tls;
  const ca = certificateName === '' ? undefined : textOf(await secretOf(certificateName), 'tls.crt');
  return {
    endpoint: `${certificateName === '' ? 'http' : 'https'}://${name}.${namespace}.svc/v1`,
    login: { username, password },
    ...(ca !== undefined && { ca }),
  };
}

const unusable = (message: string): IronicError => new IronicError({ type: 'IronicUnusable', message });
