import { Command, InvalidArgumentError } from 'commander';
import { isObjectName } from '../../kube/paths.ts';
import { dirOption, type LabRequest, namespaceOption } from '../command-line.ts';

export interface CodecRequest extends LabRequest {
  /** The codec server, without a slash at the end. */
  readonly server: string;
  /** File with certificates of authorities that are trusted for it. */
  readonly ca?: string;
  /** Port on loopback; 0: any that is free. */
  readonly port: number;
  /** A service account whose token is sent; without it, the token of the kubeconfig is. */
  readonly account?: string;
  /** The namespace of the account. */
  readonly namespace: string;
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Where a token may be sent: plain HTTP only to this computer. */
function serverOf(text: string): string {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname));
  if (!isSafe || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new InvalidArgumentError('it must begin with https://; http:// is for localhost alone');
  return url.href.replace(/\/$/, '');
}

function portOf(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('it must be a port');
  return text;
}

function accountOf(text: string): string {
  if (!isObjectName(text)) throw new InvalidArgumentError('it must be the name of a service account');
  return text;
}

/** `take` gets the request. */
export const codecCommand = (take: (request: CodecRequest) => void = () => undefined): Command =>
  new Command('temper codec')
    .description(
      'Decodes payloads in the Web UI, for a browser on this computer and with your rights in Kubernetes, until Ctrl-C',
    )
    .option('--server <url>', 'the codec server', serverOf, 'https://localhost:8081')
    .option('--ca <file>', 'certificates of authorities to trust for the codec server, instead of those of the system')
    .option('--port <port>', 'port on 127.0.0.1', portOf, '8082')
    .option(
      '--account <name>',
      'a service account whose tokens are used, instead of the token in the kubeconfig',
      accountOf,
    )
    .addOption(namespaceOption())
    .addOption(dirOption())
    .action(({ port, ...options }: Omit<CodecRequest, 'port'> & { readonly port: string }) =>
      take({ ...options, port: Number(port) }),
    );
