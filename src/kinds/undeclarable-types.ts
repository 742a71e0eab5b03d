/** What manifests do not declare of the service's API, by path, each with the reason and what to do instead. */
export const undeclarableTypes: Readonly<Record<string, string>> = {
  '/flows/bindings/': 'A binding has no name. It is declared with the flow that it belongs to: its `stages`.',
  '/policies/bindings/':
    'A binding has no name. It is declared with the record that it belongs to: its `policies`, or the `access` of an application.',
  '/requests/rule-bindings/': 'A binding has no name by which it could be found again.',
  '/requests/rule-child-bindings/': 'A binding has no name by which it could be found again.',
  '/providers/oauth2-dcr/': 'It has no name: it belongs to a provider, and is made with it in the service.',
  '/core/object_attributes/':
    'One is named by its key and what it is about, and a rename would leave the values of all objects behind.',
  '/enterprise/license/': 'A licence is a secret of its own, without a name.',
  '/agents/agents/': 'Agents enrol themselves.',
};
