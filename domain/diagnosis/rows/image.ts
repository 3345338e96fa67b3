import { type Diagnosis, words } from '../diagnosis.ts';
import { hostError } from '../example.ts';

const HEAD = 'curl -fsSLI {image}';
const EDIT = 'kubectl -n {namespace} edit bmh {host}';
const deployment = (reason: string) =>
  hostError(
    'provisioning error',
    `Image provisioning failed (url: http://images.example/ubuntu.raw, checksum: http://images.example/SUMS): ${reason}`,
  );
const step = (type: string, details: string) =>
  deployment(
    `Deploy step deploy.write_image failed on node 1be26c0b-03f2-4d2e-ae87-c02d7f33c123. {'type': '${type}', 'code': 500, 'details': '${details}'}`,
  );

/** The image: where it is, what it is, its checksum. */
export const IMAGE: readonly Diagnosis[] = [
  words({
    id: 'image-given-up',
    of: 'host',
    waitsForChange: true,
    says: /retry limit \(\d+\) reached/,
    cause: 'The deployment of this image has failed as often as allowed, and is not tried again.',
    next: 'Correct the image, or the problem that the Events name, then ask for another try.',
    commands: [
      'kubectl -n {namespace} events --for bmh/{host}',
      "npx temper retry host {host} -n {namespace} --reason 'the cause is gone'",
    ],
    examples: [
      hostError(
        'provisioning error',
        'provisioning failed 5 times, retry limit (5) reached; change image or reset provisioningFailCount to retry',
        { state: 'available' },
      ),
    ],
  }),
  words({
    id: 'image-checksum-wrong',
    of: 'host',
    says: /failed to verify against checksum|checksum is invalid or does not match|Error verifying image checksum|ImageChecksumError/i,
    cause: 'The checksum does not match the image.',
    next: 'Correct spec.image.checksum, or the image at its URL.',
    commands: ['curl -fsSL {image} | sha256sum', EDIT],
    examples: [
      step(
        'ImageChecksumError',
        'Image failed to verify against checksum. location: /dev/sda; image ID: 5ad1; image checksum: 0f3b; verification checksum: 77aa',
      ),
    ],
  }),
  words({
    id: 'image-checksum-file',
    of: 'host',
    says: /Checksum file does not contain name|Invalid checksum file|Empty checksum file/i,
    cause: 'The file with the checksums does not name the image.',
    next: 'Correct the file at spec.image.checksum, or write the checksum itself into the field.',
    commands: [`kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.image.checksum}'`, EDIT],
    examples: [
      step(
        'ImageDownloadError',
        'Download of image http://images.example/SUMS failed: Checksum file does not contain name ubuntu.raw',
      ),
    ],
  }),
  words({
    id: 'image-checksum-missing',
    of: 'host',
    says: /checksum is required for normal images|unknown checksumType|checksum must be empty for OCI/,
    cause: 'The checksum of the image is missing, or of an unknown type.',
    next: 'Set spec.image.checksum and spec.image.checksumType.',
    commands: [EDIT],
    examples: [hostError('provisioning error', 'Validation failed: checksum is required for normal images')],
  }),
  words({
    id: 'image-not-found',
    of: 'host',
    says: /image[^]*(status code 404|HTTP code 404|404 Client Error|code 404\b|could not be found)|Specified image file not found/i,
    cause: 'There is no image at the URL: its server answers 404.',
    next: 'Correct spec.image.url, or put the image there.',
    commands: [HEAD, EDIT],
    examples: [
      step(
        'ImageDownloadError',
        'Download of image 5ad1 failed: Received status code 404 from http://images.example/ubuntu.raw, expected 200. Response body: not found',
      ),
      deployment(
        'Validation of image href http://images.example/ubuntu.raw failed, reason: Got HTTP code 404 instead of 200 in response to HEAD request.',
      ),
    ],
  }),
  words({
    id: 'image-forbidden',
    of: 'host',
    says: /image[^]*(status code 40[13]|HTTP code 40[13]|40[13] Client Error|code 40[13]\b|unauthorized|denied)/i,
    cause: 'The server of the image wants a login.',
    next: 'Allow the download without a login, or name a Secret in spec.image.ociAuthSecretName for an OCI image.',
    commands: [HEAD, EDIT],
    examples: [
      deployment(
        'Validation of image href http://images.example/ubuntu.raw failed, reason: Got HTTP code 403 instead of 200 in response to HEAD request.',
      ),
    ],
  }),
  words({
    id: 'image-registry-secret',
    of: 'host',
    says: /auth secret "(?<secret>[a-z0-9.-]+)" not found|secret "[^"]*" has unsupported type|failed to extract credentials from secret/,
    cause: 'The Secret with the login of the image registry is missing, or cannot be used.',
    next: 'Create it as a docker-registry Secret in the namespace of the host.',
    commands: [
      'kubectl -n {namespace} create secret docker-registry {secret} --docker-server=SERVER --docker-username=USER --docker-password=PASSWORD',
    ],
    examples: [hostError('provisioning error', 'auth secret "registry-login" not found in namespace "metal"')],
  }),
  words({
    id: 'image-unreachable',
    of: 'host',
    says: /(Download of image|Failed to download image|image href)[^]*(Max retries|Connection|timed out|Timed out|resolve|Name or service|No route|unreachable|ImageDownloadTimeout)/i,
    cause: 'The deploy agent, or Ironic, cannot reach the server of the image.',
    next: 'Check that the URL can be reached from the network of the server and from Ironic: name, route, proxy, firewall.',
    commands: [HEAD],
    examples: [
      step(
        'ImageDownloadError',
        'Download of image 5ad1 failed: HTTPConnectionPool(host=images.example, port=80): Max retries exceeded with url: /ubuntu.raw (Caused by NameResolutionError)',
      ),
      deployment(
        'Validation of image href http://images.example/ubuntu.raw failed, reason: [Errno 111] Connection refused',
      ),
    ],
  }),
  words({
    id: 'image-format',
    of: 'host',
    says: /Image \S+ is unacceptable|InvalidImage|requested image (is not valid|lacks)|image format|ImageUnacceptable|disk_format/i,
    cause: 'The format of the image differs from spec.image.format, or Ironic does not accept it.',
    next: 'Correct spec.image.format, or convert the image to raw or qcow2.',
    commands: ['curl -fsSL {image} -o /tmp/image && qemu-img info /tmp/image', EDIT],
    examples: [step('InvalidImage', 'The requested image is not valid for use.')],
  }),
  words({
    id: 'image-too-large-for-memory',
    of: 'host',
    says: /Memory size is too small for requested image/,
    cause: 'The image does not fit into the memory of the server, where it is converted.',
    next: 'Use an image of format raw, which is written to the disk as it comes.',
    commands: [EDIT],
    examples: [
      deployment(
        'Memory size is too small for requested image, if it is less than (image size + reserved RAM size), will break the IPA deployments. Image size: 9000 MiB, Memory size: 8192 MiB',
      ),
    ],
  }),
];
