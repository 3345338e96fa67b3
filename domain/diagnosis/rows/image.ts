import { STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { GIVEN_UP } from '../../host/outcome/given-up.ts';
import { type Diagnosis, shows, words } from '../diagnosis.ts';
import { OTHER_IMAGE, RESTARTS_IRONIC, WRITES_IMAGE } from '../risks.ts';

const HEAD = 'curl -fsSLI {image}';
const EDIT = 'kubectl -n {namespace} edit bmh {host}';

/** How errors of Ironic and of its deploy agent begin when they fetch an image or its checksums. */
const FETCHING =
  'Download of image|Error downloading image|(?:Failed to|Could not) download image|image href|performing deploy step write_image|Failed to prepare to deploy';

const fetching = (why: string): RegExp => new RegExp(`(?:${FETCHING})[^]*(?:${why})`, 'i');

/** The image: where it is, what it is, its checksum. */
export const IMAGE: readonly Diagnosis[] = [
  {
    id: 'image-given-up',
    of: 'host',
    waitsForChange: true,
    // Not `words`: the rows below recognise the last failure, which the same text tells.
    see({ host }) {
      const error = host?.texts.find(({ words: text }) => GIVEN_UP.test(text));
      return shows(host, error?.field ?? '', error?.words);
    },
    cause: 'The deployment of this image has failed as often as allowed, and is not tried again.',
    risk: `${WRITES_IMAGE} ${OTHER_IMAGE}`,
    next: 'Correct the image, or the problem that the last failure names. Then allow new attempts: the last two commands do the same, and set status.provisioningFailCount to 0.',
    commands: [
      'kubectl -n {namespace} events --for bmh/{host}',
      "npx temper retry host {host} -n {namespace} --reason 'the cause is gone'",
      `kubectl -n {namespace} annotate --overwrite bmh {host} ${STEERING_ANNOTATIONS.retry}='the cause is gone'`,
    ],
  },
  words({
    id: 'image-checksum-wrong',
    says: /failed to verify against checksum|checksum is invalid or does not match|Error verifying image checksum/i,
    cause: 'The checksum does not match the image.',
    risk: WRITES_IMAGE,
    next: 'Correct spec.image.checksum, or the image at its URL.',
    commands: ['curl -fsSL {image} | sha256sum', EDIT],
  }),
  words({
    id: 'image-checksum-file',
    says: /Checksum file does not contain name|Invalid checksum file|Empty checksum file|Checksum file empty|remote checksum files is not supported/i,
    cause: 'The file with the checksums does not name the image, or Ironic does not read such files.',
    risk: WRITES_IMAGE,
    next: 'Correct the file at spec.image.checksum, or write the checksum itself into the field.',
    commands: [`kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.image.checksum}'`, EDIT],
  }),
  words({
    id: 'image-checksum-missing',
    says: /checksum is required for normal images|unknown checksumType|checksum must be empty for OCI|checksum algorithm cannot be loaded|with available checksums/,
    cause: 'The checksum of the image is missing, or of an unknown type.',
    risk: WRITES_IMAGE,
    next: 'Set spec.image.checksum and spec.image.checksumType.',
    commands: [EDIT],
  }),
  words({
    id: 'image-not-found',
    says: /Received status code 404 from|Got HTTP code 404|404 Client Error|Image (tag )?\S+ (could not|can not) be found|Specified image file not found/i,
    cause: 'There is no image, or no file with checksums, at the URL in the message.',
    risk: OTHER_IMAGE,
    next: 'Correct spec.image.url or spec.image.checksum, or put the file there.',
    commands: [HEAD, EDIT],
  }),
  words({
    id: 'image-forbidden',
    says: /Received status code 40[13] from|Got HTTP code 40[13]|40[13] Client Error|requires authentication which|Not authorized for image|access to the resource is denied/i,
    cause: 'The server of the image wants a login, or refuses the one that it gets.',
    risk: OTHER_IMAGE,
    next: 'Allow the download without a login. For an OCI image, name a Secret with a login that the registry accepts in spec.image.ociAuthSecretName, or correct that Secret.',
    commands: [HEAD, EDIT],
  }),
  words({
    id: 'image-server-fails',
    says: /Received status code 5\d\d from|Got HTTP code 5\d\d|5\d\d Server Error/i,
    cause: 'The server of the image fails: it answers with an error of its own (5xx).',
    next: 'Look at the log of the image server. The deployment is tried again by itself.',
    commands: [HEAD],
  }),
  words({
    id: 'image-registry-secret',
    says: /auth secret "(?<registrySecret>[^"]+)" not found|secret "(?<registrySecret2>[^"]+)" has unsupported type|failed to extract credentials from secret "(?<registrySecret3>[^"]+)"/i,
    cause: 'The Secret {registrySecret} with the login of the image registry is missing, or cannot be used.',
    next: 'Write it anew as a docker-registry Secret in the namespace of the host, with the host name of the registry as its server. The type of a Secret cannot be changed: delete the Secret first if it has another one.',
    commands: [
      'kubectl -n {namespace} get secret {registrySecret}',
      'kubectl -n {namespace} create secret docker-registry {registrySecret} --docker-server=SERVER --docker-username=USER --docker-password=PASSWORD --dry-run=client -o yaml | kubectl apply -f -',
    ],
  }),
  words({
    id: 'image-certificate',
    says: fetching(
      'CERTIFICATE_VERIFY_FAILED|certificate verify failed|certificate has expired|self.signed certificate',
    ),
    cause: 'Ironic, or its deploy agent, does not trust the TLS certificate of the image server.',
    risk: `${OTHER_IMAGE} ${RESTARTS_IRONIC}`,
    next: 'Give the image server a valid certificate, give Ironic and the deploy agent the authority that signed it, or serve the image over HTTP: its checksum is verified in any case.',
    commands: ['curl -vI {image}', EDIT],
  }),
  words({
    id: 'image-unreachable',
    says: fetching('Max retries|Connection(?! to agent)|timed out|resolve|Name or service|No route|unreachable'),
    cause: 'The deploy agent, or Ironic, cannot reach the server of the image.',
    next: 'Check that the URL can be reached from the network of the server and from Ironic: look at name, route, proxy and firewall.',
    commands: [HEAD],
  }),
  words({
    id: 'image-format',
    says: /Image \S+ is unacceptable|image is not valid for use|requested image lacks|safety check|(Detected image|Expected) format was/i,
    cause: 'The format of the image differs from spec.image.format, or Ironic does not accept it.',
    risk: OTHER_IMAGE,
    next: 'Correct spec.image.format, or convert the image to raw or qcow2.',
    commands: ['curl -fsSL {image} -o /tmp/image && qemu-img info /tmp/image', EDIT],
  }),
  words({
    id: 'image-too-large-for-memory',
    says: /Memory size is too small for requested image|Unable to write image to \/tmp\/[^]*No space left/,
    cause: 'The image does not fit into the memory of the server, where it is converted.',
    risk: OTHER_IMAGE,
    next: 'Use an image of format raw, which is written to the disk while it is downloaded.',
    commands: [EDIT],
  }),
];
