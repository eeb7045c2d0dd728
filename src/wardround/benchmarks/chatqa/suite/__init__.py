"""The shipped EHR-ChatQA tasks, made by `wardround.authoring.chatqa`."""
