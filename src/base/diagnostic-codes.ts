/** Every diagnostic code, grouped by subject. docs/diagnostics.md is generated from this table. */
export const diagnosticCodes = {
  Files: {
    'file-not-found': 'a path names nothing → check it; it is taken from the current folder',
    'file-unreadable':
      'the file cannot be read, or is not a file or folder → check its permissions and its kind',
    'no-manifests': 'a folder or a pattern holds no `*.yaml` or `*.yml` → name another',
    'not-a-manifest':
      'the file is a plan, a state or a blueprint → name the manifests; a plan: `rollcall apply --plan FILE`',
    'file-too-large': 'the file is larger than 16 MiB → divide it',
    'forbidden-file':
      'the file holds the token or a key, is the `rollcall.yaml` in use, or lies in `/proc`, `/sys` or `/dev` → name another',
    'outside-project':
      '`manifests` or `vars_files` has a path outside of the folder of `rollcall.yaml` → move it there, or name it on the command line',
    'too-many-files':
      'more than 50,000 files and folders are below a named folder → name a narrower folder or pattern',
    'link-outside':
      'a link leads out of the named folder, or out of its own folder and the working directory → name its target',
    'link-loop': 'a link leads back to a folder that it is in → remove the link',
    'too-many-resources':
      'more than 100,000 resources are declared → run rollcall on some of the files at a time',
    'too-many-problems': 'more than 1,000,000 problems → fix the first ones',
    'not-utf-8': 'the file is not valid UTF-8, or holds a NUL → save it as UTF-8',
    'empty-file': 'the file declares nothing → begin with `version: 1` and a list',
  },
  Tables: {
    'csv-syntax':
      'the cells of a table are ambiguous, or a column has no name or a duplicate one → quote cells with a delimiter, a quote or a line end; write a quote twice',
  },
  YAML: {
    'yaml-syntax': 'this is not YAML → fix the place that is shown',
    'yaml-duplicate-key': 'a key occurs twice in one mapping → remove one',
    'yaml-unsupported':
      'a second document, merge keys, custom tags, keys that are not strings, `__proto__`, or nesting, aliases and values beyond their bounds → write the values out; share by `defaults`',
  },
  References: {
    'invalid-reference':
      'a `${` does not begin a reference, a variable has the wrong type for its place, or a reference is secret or not allowed → write `${var:NAME}`, `${env:NAME}`, `${file:PATH}`, `${text:PATH}`, or `$${` for a literal `${`',
    'unresolved-reference':
      'a variable, an environment variable or a file is not there → give it: `--var`, `--vars`, `rollcall.yaml`, the environment',
    'secret-in-clear':
      'a secret is written in the manifest → write `${env:NAME}` or `${file:PATH}`, and replace the secret',
    'plain-http': 'warning: a URL at which people log in is not encrypted → write https://',
    'sensitive-name': 'a name comes from `${env:}` or `${file:}` → use `${var:}`',
  },
  Fields: {
    'unknown-field': 'the schema knows no such field → fix the spelling',
    'missing-field': 'a required field is missing → add it',
    'wrong-type': 'the value has the wrong type → write the requested type; quote a number that is a text',
    'invalid-value': 'the value is not allowed, not exact in JSON, or an access token → choose another',
    'invalid-format':
      'the text does not have the form of its field, or every release rejects it → fix it as the hint says',
    'rewritten-number':
      'warning: YAML reads a number differently from its spelling: 0755 as 755, 1.10 as 1.1 → quote it if it is a text',
    'invalid-length': 'the text is empty, or too long → shorten it, or fill it in',
    'contract-only': 'a name is used in place of an id under `contract_only` → write the id',
    'name-not-found':
      'nothing that the token can see has this name → correct it, make the record, or give the token the right to view it',
    'id-not-found': 'no record has this id → correct it, or write a name',
    'ambiguous-name': 'several have this name → write the id',
    'name-taken':
      'a record of another type has this name, which must be unique across types → choose another name, or rename that record first',
  },
  'Rules over all files': {
    'duplicate-resource': 'a resource or value is declared twice → remove one',
    'declared-of-absent':
      'an entry with `state: absent` declares more than its name → delete the rest, or `state`',
    'names-absent':
      'a declared resource refers to a resource that should be absent → remove the reference, or keep the resource',
    'former-name':
      'the name in `formerly` is declared, was the name of another resource too, or is still referred to → remove `formerly`, rename in two steps, or write the new name',
    'shared-provider': 'two applications have the same main provider → give each its own',
    'provider-taken':
      'an application of the service has this main provider → declare another, or take it from there first',
    'shared-backchannel-provider':
      'two applications have the same backchannel provider; the service would remove it from the first → give each its own',
    'repeated-id': 'warning: an id occurs twice in one list → remove it or correct it',
    'circular-reference': 'a group is its own ancestor → remove one of the parents',
    'open-login':
      'a flow of the designation authentication is open by name → bind a stage with a proof of identity before the login, or `--allow open-login`',
    'similar-name':
      'warning: two names differ only in case or Unicode spelling → check that both are intended',
    'likely-refused':
      'warning: services have been seen to refuse this, and some take it → fix it, or let the service decide',
    'not-in-release':
      'the release does not take this, or makes less of it; a warning where the release is not known → change it, or say which release the service has',
    superseded: 'warning: the release has a newer form for this → use it',
    'no-time-zone': 'warning: a time has no offset from UTC, and counts as UTC → add `Z`, or the offset',
  },
  'The service': {
    'open-to-nobody':
      '`access: everyone`, and the service opens nothing that has no binding → name groups or users, or turn on the flag',
    'service-refused-field':
      'the service refused the value of a field, in the words that are shown → fix the line that is shown',
    'service-refused': 'the service refused a resource as a whole → read its words',
    'service-denied': 'the token may not do this (401 or 403) → check the token and its permissions',
    'service-read-only': 'the enterprise licence of the service allows no changes → renew it, then run again',
    'service-unreachable':
      'no answer, none in time, or a request to wait → check the URL and the service; `--wait 60` while it is starting',
    'service-unexpected':
      'an answer that the API does not give: a wrong URL, a redirect, a crash → check the URL, and proxies before the service',
  },
  Plans: {
    'not-planned': 'with `--keep-going`: it depends on a resource that is not planned → fix that one',
    'not-created': 'an apply ended before it began to create these → see to the cause, then apply again',
    differs:
      'a declared field has another value in the service; an error with `--fail-on differs` → change the manifest or the service, or turn on `update`',
    'broken-before':
      'warning: the manifests of `--baseline` are invalid or missing → entries that cannot be read count as added',
    'no-longer-declared':
      'warning: with `--baseline`, the entry was removed → to delete the record, write the lines that are shown',
    'not-as-declared':
      'the service returned a field with another value → set it in the service; check whether its release knows the field',
    'perhaps-incomplete':
      'the answer to a create was lost, and the name exists now: the record may lack fields → check it in the service, its groups above all',
    'stale-plan': 'a saved plan differs from a new one → run `rollcall plan` again',
    'not-confirmed':
      'the question was not answered with yes → apply again; without a terminal, `--yes` or `--plan`',
    interrupted: 'interrupted before there was a plan → run it again',
    'not-exported': '`export` could not read something, or left it out → see the message',
    'invalid-usage': 'the command line or a setting is wrong → fix it as the hint says',
    'unexpected-error':
      'a bug of rollcall; its report on each resource is still true → report it; then plan again',
    'too-many-updates': 'more changes than `--max-updates` → read the plan; allow more, or narrow it',
    'too-many-deletes':
      'more deletes than `--max-deletes`, or than a tenth of a kind → read the plan, then allow more',
    lockout:
      'the plan keeps people from logging in, as far as can be seen → leave that out, or `--allow lockout`',
    'way-in':
      'the plan changes the way in, and nobody has confirmed that → read the plan; `--allow way-in`, or apply a saved plan',
    'way-in-lost':
      'people could log in before the apply, and the flow does not begin any more → undo it with the values that are shown, in a session that is still open',
    'not-allowed':
      'a saved plan changes something, and this run may not → `--allow update`, or a plan without',
    'changed-since-plan': 'the record has changed since the plan → plan again',
    'too-many-creates': 'more creates than `--max-creates` → read the plan; allow more, or narrow it',
  },
} as const;

type Codes = typeof diagnosticCodes;
export type DiagnosticCode = { [Topic in keyof Codes]: keyof Codes[Topic] }[keyof Codes];
