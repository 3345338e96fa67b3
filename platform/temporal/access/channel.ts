import { rootCertificates } from 'node:tls';
import { experimental } from '@grpc/grpc-js';
import type { ConnectionOptions } from '@temporalio/client';
import type { TemporalAccess } from './access.ts';
import { joinAddress, splitAddress } from './address.ts';

type CertificateProvider = Parameters<typeof experimental.createCertificateProviderChannelCredentials>[0];
type Listener<Update> = (update: Update) => void;
type CaListener = Parameters<CertificateProvider['addCaCertificateListener']>[0];
type IdentityListener = Parameters<CertificateProvider['addIdentityCertificateListener']>[0];

type Channel = Pick<ConnectionOptions, 'address' | 'credentials' | 'channelArgs'>;

/** Where a client connects to, and with which TLS. */
export function channelOptions(access: TemporalAccess): Channel {
  const [way, { credentials, channelArgs }] = [wayOf(access), tlsOf(access)];
  return {
    address: way.address,
    ...(credentials && { credentials }),
    channelArgs: { ...way.channelArgs, ...channelArgs },
  };
}

/** Directly or through the proxy. gRPC itself would read other variables, and their values in another way. */
function wayOf({ address, proxy }: TemporalAccess): Required<Pick<Channel, 'address' | 'channelArgs'>> {
  const direct = { 'grpc.enable_http_proxy': 0 };
  if (proxy === undefined) return { address, channelArgs: direct };
  const server = joinAddress(splitAddress(address));
  const { login } = proxy;
  return {
    address: joinAddress(proxy),
    channelArgs: {
      ...direct,
      'grpc.http_connect_target': `dns:${server}`,
      'grpc.default_authority': server,
      ...(login && { 'grpc.http_connect_creds': `${login.username}:${login.password}` }),
    },
  };
}

/**
 * gRPC connects anew whenever a connection is lost, and then uses the certificates of that moment. Calls on an existing
 * connection go on, so that nothing is lost when certificates change.
 */
function tlsOf(access: TemporalAccess): Omit<Channel, 'address'> {
  const { tls } = access.credentials;
  if (tls === undefined) return {};
  const certificates = certificatesOf(access);
  const credentials = experimental.createCertificateProviderChannelCredentials(
    certificates,
    tls.client === undefined ? null : certificates,
  );
  if (tls.serverName === undefined) return { credentials };
  const channelArgs = {
    'grpc.ssl_target_name_override': tls.serverName,
    'grpc.default_authority': tls.serverName,
  };
  return { credentials, channelArgs };
}

function certificatesOf(access: TemporalAccess): CertificateProvider {
  const cas = new Map<CaListener, () => void>();
  const identities = new Map<IdentityListener, () => void>();
  /** Calls the listener now and after each change. */
  const follow = <Update>(
    followers: Map<Listener<Update>, () => void>,
    listener: Listener<Update>,
    read: () => Update,
  ) => {
    process.nextTick(() => listener(read()));
    followers.set(
      listener,
      access.follow(() => listener(read())),
    );
  };
  const unfollow = <Key>(followers: Map<Key, () => void>, listener: Key): void => {
    followers.get(listener)?.();
    followers.delete(listener);
  };
  const ca = () => ({ caCertificate: Buffer.from(access.credentials.tls?.ca ?? rootCertificates.join('\n')) });
  const identity = () => {
    const client = access.credentials.tls?.client;
    return client === undefined ? null : { certificate: Buffer.from(client.cert), privateKey: Buffer.from(client.key) };
  };
  return {
    addCaCertificateListener: (listener) => follow(cas, listener, ca),
    removeCaCertificateListener: (listener) => unfollow(cas, listener),
    addIdentityCertificateListener: (listener) => follow(identities, listener, identity),
    removeIdentityCertificateListener: (listener) => unfollow(identities, listener),
  };
}
