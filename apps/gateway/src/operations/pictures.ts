import * as contract from "@carillon/contract";
import {
  changeAvatar,
  changeRealmPicture,
  checkAvatarChange,
  defaultLogo,
  removeAvatar,
  requirePicture,
} from "@carillon/domain";
import { handle } from "../handle.ts";
import { FileBody } from "../http/file-body.ts";
import { svgReply } from "../http/svg-reply.ts";

const logoName = ({ night }: { readonly night: boolean }) => (night ? "night_logo" : "logo");

export default [
  handle.withPicture(
    contract.uploadAvatar,
    {
      kind: "avatar",
      before: async ({ sql, actor }) => {
        await checkAvatarChange(sql, actor);
        return undefined;
      },
      change: ({ tx, site, actor, pictures }) => changeAvatar(tx, site, actor, pictures),
    },
    (avatar_url) => ({ avatar_url }),
  ),

  handle.changes(contract.deleteAvatar, async ({ tx, actor, services }) => ({
    avatar_url: await removeAvatar(tx, services.site, actor),
  })),

  handle.withPicture(
    contract.uploadIcon,
    {
      kind: "icon",
      change: ({ tx, site, actor, pictures }) =>
        changeRealmPicture(tx, site, actor, "icon", pictures),
    },
    (icon_url) => ({ icon_url }),
  ),

  handle.changes(contract.deleteIcon, async ({ tx, actor, services }) => ({
    icon_url: await changeRealmPicture(tx, services.site, actor, "icon", undefined),
  })),

  handle.withPicture(
    contract.uploadLogo,
    {
      kind: "logo",
      change: ({ tx, site, actor, input, pictures }) =>
        changeRealmPicture(tx, site, actor, logoName(input), pictures),
    },
    () => ({}),
  ),

  handle.changes(contract.deleteLogo, async ({ tx, actor, input, services }) => {
    await changeRealmPicture(tx, services.site, actor, logoName(input), undefined);
  }),

  handle.readsRaw(contract.readPicture, async ({ sql, path, services }) => {
    const picture = await requirePicture(sql, path.picture_path);
    const name = path.picture_path.slice(path.picture_path.lastIndexOf("/") + 1);
    return { body: new FileBody({ ...picture, name }, services.files, { isPublic: true }) };
  }),

  handle.readsRaw(contract.readDefaultLogo, async () => svgReply(defaultLogo)),
];
