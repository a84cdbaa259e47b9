/** Signature Version 4 as the AWS SDK implements it, to compare ours with. */
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Credentials } from '../../../src/media/s3/credentials.ts';
import type { S3Location } from '../../../src/media/s3/files.ts';

const sdkCredentials = ({ accessKeyId, secretAccessKey, sessionToken }: Credentials) => ({
  accessKeyId,
  secretAccessKey,
  ...(sessionToken && { sessionToken }),
});

export function createSdkClient(location: S3Location): S3Client {
  const { region, endpoint, credentials } = location;
  const client = new S3Client({
    region,
    credentials: sdkCredentials(credentials.latest as Credentials),
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  // The SDK adds the operation as a parameter that S3 ignores.
  client.middlewareStack.add(
    (next) => (args) => {
      delete (args.request as { query: Record<string, string> }).query['x-id'];
      return next(args);
    },
    { step: 'build' },
  );
  return client;
}

/** A link that the SDK signs. Times are in seconds. */
export function officialLink(location: S3Location, key: string, begins: number, expires: number) {
  const command = new GetObjectCommand({ Bucket: location.bucket, Key: location.prefix + key });
  const times = { signingDate: new Date(begins * 1000), expiresIn: expires - begins };
  return getSignedUrl(createSdkClient(location), command, times);
}

export function officialSigner(region: string, credentials: Credentials): SignatureV4 {
  const { sha256 } = new S3Client({ region }).config;
  return new SignatureV4({
    service: 's3',
    region,
    credentials: sdkCredentials(credentials),
    sha256,
    uriEscapePath: false,
  });
}

/** Parses a time such as `20260131T120000Z`. */
export function parseAmzDate(date: string): Date {
  return new Date(date.replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'));
}
