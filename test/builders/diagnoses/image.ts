import { givenUp } from '../../../domain/host/outcome/given-up.ts';
import { ADOPTION_FAILED, aDeployment, type Examples, hostError, NODE } from './sights.ts';

const step = (details: string) => aDeployment(`Deploy step deploy.write_image failed on node ${NODE}. ${details}`);

const UNTRUSTED =
  "Max retries exceeded with url: /ubuntu.raw (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1006)')))";

export const IMAGE_EXAMPLES = {
  'image-given-up': [
    hostError('provisioning error', givenUp(5, 5, 'the disk is on fire'), {
      state: 'available',
      provisioningFailCount: 5,
    }),
  ],
  'image-checksum-wrong': [
    step(
      'Image failed to verify against checksum. location: /dev/sda; image ID: ubuntu.raw; image checksum: 0f3b; verification checksum: 77aa',
    ),
    aDeployment('Failed to prepare to deploy: The supplied image checksum is invalid or does not match.'),
  ],
  'image-checksum-file': [
    step('Download of image http://images.example/SUMS failed: Checksum file does not contain name ubuntu.raw'),
    aDeployment('Failed to prepare to deploy: Use of remote checksum files is not supported.'),
  ],
  'image-checksum-missing': [
    hostError('provisioning error', 'Validation failed: checksum is required for normal images'),
    aDeployment('Failed to prepare to deploy: The requested image checksum algorithm cannot be loaded.'),
  ],
  'image-not-found': [
    step(
      'Download of image ubuntu.raw failed: Received status code 404 from http://images.example/ubuntu.raw, expected 200. Response body: not found',
    ),
    aDeployment(
      'Validation of image href http://images.example/ubuntu.raw failed, reason: Got HTTP code 404 instead of 200 in response to HEAD request.',
    ),
    aDeployment(
      'Failed to prepare to deploy: Image tag oci://registry.example/os:9 could not be found, available tags are 1, 2',
    ),
    hostError(
      'provisioned registration error',
      `${ADOPTION_FAILED}Validation of image href http://images.example/live.iso failed, reason: Got HTTP code 404 instead of 200 in response to HEAD request.`,
    ),
  ],
  'image-forbidden': [
    aDeployment(
      'Validation of image href http://images.example/ubuntu.raw failed, reason: Got HTTP code 403 instead of 200 in response to HEAD request.',
    ),
    aDeployment(
      'Failed to prepare to deploy: The requested image oci://registry.example/os:1 requires authentication which has not been provided. Unable to proceed.',
    ),
  ],
  'image-server-fails': [
    step(
      'Download of image ubuntu.raw failed: Received status code 503 from http://images.example/ubuntu.raw, expected 200. Response body: ',
    ),
  ],
  'image-registry-secret': [
    hostError('provisioning error', 'auth secret "registry-login" not found in namespace "metal"'),
    hostError(
      'provisioning error',
      'failed to extract credentials from secret "node-1-registry": it has no login for registry.example.com',
    ),
    hostError(
      'provisioning error',
      'secret "pull" has unsupported type "Opaque" (expected kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg)',
    ),
  ],
  'image-certificate': [
    step(`Download of image ubuntu.raw failed: HTTPSConnectionPool(host='images.example', port=443): ${UNTRUSTED}`),
    step(
      `Unexpected exception performing deploy step write_image. SSLError: HTTPSConnectionPool(host='images.example', port=443): ${UNTRUSTED}`,
    ),
    aDeployment(
      'Validation of image href https://images.example/ubuntu.raw failed, reason: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:1006)',
    ),
    aDeployment(
      `Failed to prepare to deploy. Exception: HTTPSConnectionPool(host='registry.example', port=443): ${UNTRUSTED}`,
    ),
  ],
  'image-unreachable': [
    step(
      "Download of image ubuntu.raw failed: HTTPConnectionPool(host='images.example', port=80): Max retries exceeded with url: /ubuntu.raw (Caused by NameResolutionError)",
    ),
    aDeployment(
      'Validation of image href http://images.example/ubuntu.raw failed, reason: [Errno 111] Connection refused',
    ),
    step(
      "Unexpected exception performing deploy step write_image. ConnectionError: HTTPConnectionPool(host='images.example', port=80): Max retries exceeded with url: /ubuntu.raw (Caused by NewConnectionError('[Errno 113] No route to host'))",
    ),
  ],
  'image-format': [
    aDeployment('Failed to prepare to deploy: The requested image is not valid for use.'),
    step('Security: Expected format was raw, but image was actually qcow2'),
  ],
  'image-too-large-for-memory': [
    step(
      'Download of image ubuntu.qcow2 failed: Unable to write image to /tmp/ubuntu.qcow2. Error: [Errno 28] No space left on device',
    ),
    aDeployment(
      'Memory size is too small for requested image, if it is less than (image size + reserved RAM size), will break the IPA deployments. Image size: 9000 MiB, Memory size: 8192 MiB',
    ),
  ],
} satisfies Examples;
