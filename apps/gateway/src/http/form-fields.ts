import { html, type Html } from "@carillon/kit";
import type { FormGuard } from "./form-guard.ts";

/** A text field of a form. */
export interface TextField {
  readonly name: string;
  readonly label: string;
  readonly type?: "text" | "email" | "password";
  /** The value that the person typed before; never a password. */
  readonly value?: string;
  /** What browsers and password managers fill in. */
  readonly autocomplete: string;
  /** What the value should look like. */
  readonly hint?: string;
  /** Why the value that was sent is not accepted. */
  readonly problem?: string | undefined;
  readonly maxLength?: number;
}

/** Makes a required text field with its label. */
export function textField(field: TextField): Html {
  const { name, label, type = "text", value, autocomplete, hint, problem, maxLength } = field;
  const described = [problem && `${name}-problem`, hint && `${name}-hint`].filter(Boolean);
  return html`<p>
    <label for="${name}">${label}</label>
    ${problem && html`<small class="problem" id="${name}-problem" role="alert">${problem}</small>`}
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      required
      ${value && html`value="${value}"`}
      ${maxLength && html`maxlength="${maxLength}"`}
      ${described.length > 0 && html`aria-describedby="${described.join(" ")}"`}
      ${problem && html`aria-invalid="true" autofocus`}
    />
    ${hint && html`<small id="${name}-hint">${hint}</small>`}
  </p>`;
}

/**
 * Makes a box to tick; its value is `true`.
 * @param field `label` may hold links
 */
export function tickBox(field: {
  readonly name: string;
  readonly label: Html | string;
  readonly required?: boolean;
  readonly checked?: boolean;
  readonly problem?: string | undefined;
}): Html {
  const { name, label, required, checked, problem } = field;
  return html`<p>
    ${problem && html`<small class="problem" id="${name}-problem" role="alert">${problem}</small>`}
    <label class="box" for="${name}">
      <input
        id="${name}"
        name="${name}"
        type="checkbox"
        value="true"
        ${required && html`required`}
        ${checked && html`checked`}
        ${problem && html`aria-invalid="true" aria-describedby="${name}-problem"`}
      />${label}
    </label>
  </p>`;
}

/**
 * Makes a form that is sent to the page's own URL unless `action` names another path.
 * @param content `submit`: the text of the button; `username`: the address of the account, for password managers
 */
export function form(
  guard: Pick<FormGuard, "token">,
  content: {
    readonly fields: readonly Html[] | Html;
    readonly submit: string;
    readonly action?: string;
    readonly username?: string;
  },
): Html {
  const { fields, submit, action, username } = content;
  return html`<form method="post" ${action && html`action="${action}"`}>
    <input type="hidden" name="csrf_token" value="${guard.token}" />
    ${username && html`<input type="text" value="${username}" autocomplete="username" readonly hidden />`}
    ${fields}
    <p><button type="submit">${submit}</button></p>
  </form>`;
}
