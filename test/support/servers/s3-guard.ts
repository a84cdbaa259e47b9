/** Checks that S3 does and s3rver does not: signatures, and the checksums of uploads. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { officialSigner, parseAmzDate } from './aws.ts';

/** The only account of s3rver. */
export const account = { region: 'eu-central-1', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
const signer = officialSigner(account.region, account);

/** The status and error code if S3 would reject the request. */
export async function findRejection(
  incoming: IncomingMessage,
  body: Buffer,
): Promise<[number, string] | undefined> {
  const digest = (algorithm: string, encoding: 'hex' | 'base64') =>
    createHash(algorithm).update(body).digest(encoding);
  const { authorization, 'content-md5': md5, 'x-amz-content-sha256': sha256 } = incoming.headers;
  const [path = '', search = ''] = (incoming.url ?? '').split('?');
  const query = Object.fromEntries(new URLSearchParams(search));
  const isValid = authorization
    ? await isSigned(incoming, path, query)
    : await isPresigned(incoming, path, query);
  if (!isValid) return [403, 'SignatureDoesNotMatch'];
  if (!authorization) return undefined;
  if (sha256 !== digest('sha256', 'hex')) return [400, 'XAmzContentSHA256Mismatch'];
  // S3 itself requires this header only for locked objects.
  if (incoming.method === 'PUT' && md5 !== digest('md5', 'base64')) return [400, 'BadDigest'];
  return undefined;
}

async function isSigned(
  { method = '', headers }: IncomingMessage,
  path: string,
  query: Record<string, string>,
) {
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  // S3 requires these to be signed.
  const sensitive = Object.keys(headers).filter((name) => /^(host|content-(md5|type)|x-amz-.*)$/.test(name));
  if (sensitive.some((name) => !(name in signed))) return false;
  const plain = { method, protocol: 'http:', hostname: '', path, query, headers: signed };
  const { headers: expected } = await signer.sign(plain, {
    signingDate: parseAmzDate(signed['x-amz-date'] ?? ''),
  });
  return expected.authorization === headers.authorization;
}

async function isPresigned(
  { method = '', headers }: IncomingMessage,
  path: string,
  query: Record<string, string>,
) {
  const { 'X-Amz-Date': date = '', 'X-Amz-Expires': expires, 'X-Amz-Signature': signature, ...rest } = query;
  const others = Object.entries(rest).filter(
    ([name]) => !/^X-Amz-(Algorithm|Credential|SignedHeaders)$/.test(name),
  );
  const plain = { method, protocol: 'http:', hostname: '', path, query: Object.fromEntries(others) };
  const sent = { host: headers.host ?? '', 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' };
  const times = { signingDate: parseAmzDate(date), expiresIn: Number(expires) };
  if (!signature || Number.isNaN(times.signingDate.getTime())) return false;
  const { query: expected } = await signer.presign({ ...plain, headers: sent }, times);
  return expected?.['X-Amz-Signature'] === signature;
}
