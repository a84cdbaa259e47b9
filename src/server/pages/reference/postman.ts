/** A Postman collection (v2.1) of the published OpenAPI document. Every request works as it is; optional parameters wait to be ticked. */
import type { OpenApi, Parameter, PathItem, Ref } from './responses.ts';

export function postmanCollection(document: OpenApi, origin: string): object {
  const { info, tags, paths, components, servers } = document;
  const parameterOf = (reference: Ref | Parameter): Parameter =>
    '$ref' in reference
      ? (components.parameters[reference.$ref.split('/').at(-1) ?? ''] as Parameter)
      : reference;
  const item = ([path, { get }]: [string, PathItem]) => {
    const parameters = get.parameters.map(parameterOf);
    const text = ({ example }: Parameter) => String(example ?? '');
    const toPart = (parameter: Parameter) => ({
      key: parameter.name,
      value: text(parameter),
      description: parameter.description,
    });
    const [ids, query] = [
      parameters.filter((one) => one.in === 'path'),
      parameters.filter((one) => one.in === 'query'),
    ];
    const postmanPath = path.replaceAll(/\{(\w+)\}/g, ':$1');
    return {
      name: get.summary,
      request: {
        method: 'GET',
        description: get.description,
        auth: get.security.every(({ token }) => token)
          ? { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] }
          : { type: 'noauth' },
        url: {
          raw: `{{baseUrl}}${postmanPath}`,
          host: ['{{baseUrl}}'],
          path: postmanPath.split('/').filter(Boolean),
          query: query.map((parameter) => ({ ...toPart(parameter), disabled: true })),
          variable: ids.map(toPart),
        },
      },
    };
  };
  const base = (servers[0]?.url ?? '').replace(/^\/$/, '');
  return {
    info: {
      name: info.contact.name,
      description: info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: [
      { key: 'baseUrl', value: base.startsWith('/') || base === '' ? origin + base : base },
      { key: 'token', value: '' },
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: Object.entries(paths)
        .filter(([, { get }]) => get.tags.includes(name))
        .map(item),
    })),
  };
}
