/** Amazon's own implementation of Signature Version 4, as the AWS SDK ships it: what ours is held against. */
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { SignatureV4 } from '@smithy/signature-v4';
import type { S3Location } from '../../src/media/s3/files.ts';
import type { Signatory } from '../../src/media/s3/sigv4.ts';

const credentialsOf = ({ accessKeyId, secretAccessKey, sessionToken }: Signatory) => ({
  accessKeyId,
  secretAccessKey,
  ...(sessionToken && { sessionToken }),
});

export function clientOf(location: S3Location): S3Client {
  const { region, endpoint } = location;
  const client = new S3Client({
    region,
    credentials: credentialsOf(location),
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  // The SDK names the operation in a parameter that S3 ignores.
  client.middlewareStack.add(
    (next) => (args) => {
      delete (args.request as { query: Record<string, string> }).query['x-id'];
      return next(args);
    },
    { step: 'build' },
  );
  return client;
}

/** The link that the SDK makes; moments in seconds. */
export function officialLink(location: S3Location, key: string, begins: number, expires: number) {
  const command = new GetObjectCommand({ Bucket: location.bucket, Key: location.prefix + key });
  const times = { signingDate: new Date(begins * 1000), expiresIn: expires - begins };
  return getSignedUrl(clientOf(location), command, times);
}

export function officialSigner(who: Signatory): SignatureV4 {
  const { sha256 } = new S3Client({ region: who.region }).config;
  return new SignatureV4({
    service: 's3',
    region: who.region,
    credentials: credentialsOf(who),
    sha256,
    uriEscapePath: false,
  });
}

/** `20260131T120000Z` as a moment. */
export function momentOf(date: string): Date {
  return new Date(date.replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'));
}
